// A row of 64-bit lanes, one register where the machine's vectors are wide enough, several
// otherwise.
//
// Compiled once per instruction set by Highway (hence no plain include guard): include it after
// hwy/highway.h from a file that hwy/foreach_target.h re-includes.
#if defined(RATCHET_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_LANES_INL_H_
#undef RATCHET_LANES_INL_H_
#else
#define RATCHET_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <std::size_t kLanes>
struct Lanes {
  using Tag = hn::CappedTag<std::uint64_t, kLanes>;
  using Part = hn::Vec<Tag>;
  static constexpr std::size_t kPartLanes = hn::MaxLanes(Tag());
  static constexpr std::size_t kParts = kLanes / kPartLanes;

  Part part[kParts];

  static HWY_INLINE Lanes zero() {
    Lanes lanes;
    for (auto& part : lanes.part) part = hn::Zero(Tag());
    return lanes;
  }
  static HWY_INLINE Lanes load(const std::uint64_t* from) {
    Lanes lanes;
    for (std::size_t i = 0; i < kParts; ++i)
      lanes.part[i] = hn::LoadU(Tag(), from + i * kPartLanes);
    return lanes;
  }
  HWY_INLINE void store(std::uint64_t* to) const {
    for (std::size_t i = 0; i < kParts; ++i) hn::StoreU(part[i], Tag(), to + i * kPartLanes);
  }

  /// `f` applied to each register of the row; further rows supply further arguments.
  template <class F, class... More>
  static HWY_INLINE Lanes map(F f, const Lanes& first, const More&... more) {
    Lanes result;
    for (std::size_t i = 0; i < kParts; ++i) result.part[i] = f(first.part[i], more.part[i]...);
    return result;
  }
};

}  // namespace ratchet::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
