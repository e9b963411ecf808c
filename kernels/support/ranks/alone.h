// The communicator of one rank alone.
#pragma once

#include <memory>

#include "kernels/support/ranks/communicator.h"

namespace ratchet::ranks {

/// Nobody to wait for, and nobody to send to: that throws `std::logic_error`.
std::unique_ptr<Communicator> make_alone();

}  // namespace ratchet::ranks
