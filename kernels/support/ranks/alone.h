// The communicator of a single rank.
#pragma once

#include <memory>

#include "kernels/support/ranks/communicator.h"

namespace ratchet::ranks {

/// Collective calls return at once; sending or receiving throws `std::logic_error`.
std::unique_ptr<Communicator> make_alone();

}  // namespace ratchet::ranks
