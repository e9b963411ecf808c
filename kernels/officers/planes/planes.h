// Verified values by several threads, a vector's width of positions at a time
// (officers/cpu/08_planes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/officers/officers.h"
#include "kernels/officers/simd/simd.h"

namespace ratchet::officers {

/// A sum of the value at a fixed position and the one `back` positions before that sought.
struct Term {
  std::uint32_t back;   ///< 1 + the fixed position
  std::uint32_t bytes;  ///< its value, as compress() makes it, four times
};

/// Terms of verification: so many mark planes, the others are compared with rare values then
/// missing.
inline constexpr std::size_t kMarkedHeads = 640, kHeads = 1664;

/// What all threads read.
struct PlanesJob {
  SimdJob simd;
  std::vector<Term> rares;    ///< the known rare positions, descending
  std::vector<Term> heads;    ///< up to kHeads common positions, which verification begins with
  std::uint16_t* out;         ///< the values that were found, whole
  std::uint64_t threads = 1;  ///< 1 or more
};

/// The terms of a job over `simd`; out and threads remain to be set.
PlanesJob planes_job(const SimdJob& simd);

/// Computes values until simd.count or the first that it cannot, and returns how many; a value that
/// is returned is right. Runs with the widest vectors of this CPU. Throws Error when the system
/// refuses a thread.
std::uint64_t compute_by_planes(const PlanesJob& job, Work& work);

}  // namespace ratchet::officers
