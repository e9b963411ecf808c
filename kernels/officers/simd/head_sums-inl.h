// Vectors of bytes, and the sums of two common values in them.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_OFFICERS_HEAD_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_OFFICERS_HEAD_SUMS_INL_H_
#undef RATCHET_OFFICERS_HEAD_SUMS_INL_H_
#else
#define RATCHET_OFFICERS_HEAD_SUMS_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "kernels/officers/simd/simd.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::officers::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, 64>;
using Vector = hn::Vec<Bytes>;
constexpr std::size_t kLanes = hn::MaxLanes(Bytes());

/// The sums `from` ... of a head value and its partner, for the position at `at`, in the order of
/// Head; 0xff where the head's is rare.
HWY_INLINE Vector head_sums(const Head& head, const std::uint8_t* at, std::uint64_t from) {
  const std::uint8_t* const partner =
      from < kDescending ? at - kDescending + from : at - 1 - from - (kLanes - 1);
  const std::uint64_t k =
      from < kDescending ? from : head.bytes.size() - from + kDescending - kLanes;
  return hn::Or(hn::LoadU(Bytes(), head.rare.data() + k),
                hn::Xor(hn::LoadU(Bytes(), head.bytes.data() + k), hn::LoadU(Bytes(), partner)));
}

}  // namespace
}  // namespace ratchet::officers::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard
