// The vector code of SimdValues, compiled for every instruction set and chosen at run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/officers/simd/vectors.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After it, which it uses:
#include "kernels/officers/simd/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

std::uint64_t compute(const SimdJob& job, Work& work) {
  Block block(job, work);
  std::uint64_t done = 0;
  while (done < job.count) {
    const std::size_t count = std::min<std::uint64_t>(kLanes, job.count - done);
    const std::size_t made = block.compute<true>(done, count);
    done += made;
    if (made < count) break;
  }
  return done;
}

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::officers {

HWY_EXPORT(compute);

std::uint64_t compute_by_vectors(const SimdJob& job, Work& work) {
  return HWY_DYNAMIC_DISPATCH(compute)(job, work);
}

}  // namespace ratchet::officers
#endif  // HWY_ONCE
