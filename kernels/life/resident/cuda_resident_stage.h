// The resident universes of life/cuda/09_thin_halos, for stages that do as it does up to 8192
// columns.
#pragma once

#include <memory>
#include <string>

#include "kernels/life/life.h"

namespace ratchet::life {

/// A universe in 09's tiles, or nullptr if it fits none of them. `stage` begins the message of an
/// Error: too little device memory.
///
/// No second file may use the kernels of these tiles. Each file has its own handle of a kernel, but
/// the files share one ResidentUniverse of a shape: one handle would be told how much shared memory
/// it may take, and another launched.
std::unique_ptr<Universe> make_thin_universe(const std::string& stage, const Parameters& parameters,
                                             const Grid& start);

}  // namespace ratchet::life
