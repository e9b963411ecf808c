#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/officers/ranked/spread.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
// After it, which it uses:
#include "kernels/officers/ranked/spread.h"
#include "kernels/officers/simd/block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

std::uint64_t find(const SimdJob& job, Work& work) {
  Block block(job, work);
  std::uint64_t done = 0;
  while (done < job.count) {
    const std::size_t count = std::min<std::uint64_t>(kLanes, job.count - done);
    const std::size_t made = block.compute<false>(done, count);
    done += made;
    if (made < count) break;
  }
  return done;
}

void verify(const SimdJob& job, std::vector<std::uint64_t>& undecided, Work& work) {
  Block block(job, work);
  for (std::uint64_t i = 0; i < job.count; ++i)
    if (!block.verified(job.at_next + i, i, job.at_next[i])) undecided.push_back(i);
}

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::officers {

HWY_EXPORT(find);
HWY_EXPORT(verify);

std::uint64_t find_by_vectors(const SimdJob& job, Work& work) {
  return HWY_DYNAMIC_DISPATCH(find)(job, work);
}

void verify_by_vectors(const SimdJob& job, std::vector<std::uint64_t>& undecided, Work& work) {
  HWY_DYNAMIC_DISPATCH(verify)(job, undecided, work);
}

}  // namespace ratchet::officers
#endif  // HWY_ONCE
