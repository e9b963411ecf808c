// The vectors' two halves apart: finding values, and verifying values that others found.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/officers/simd/simd.h"

namespace ratchet::officers {

/// Writes values until job.count or the first that it cannot, and returns how many. They are the
/// first that no sum with a rare value gives: right unless a rare value below is no sum either,
/// which verify_by_vectors() tells.
std::uint64_t find_by_vectors(const SimdJob& job, Work& work);

/// Looks at the job.count values that are there already. Of those below which it does not find
/// every rare value as a sum it adds to `undecided` how far they are from the first.
void verify_by_vectors(const SimdJob& job, std::vector<std::uint64_t>& undecided, Work& work);

}  // namespace ratchet::officers
