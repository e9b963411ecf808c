// xoshiro256+ in the lanes of a vector, each lane a generator of its own.
//
// Lane l of stream s is Xoshiro256Plus on seed words 4l .. 4l+3 of seeder(seed, s), whatever the
// register width, so the numbers do not depend on the machine. For why lanes do not overlap see
// xoshiro256plus.h.
#if defined(RATCHET_XOSHIRO256PLUS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_XOSHIRO256PLUS_INL_H_
#undef RATCHET_XOSHIRO256PLUS_INL_H_
#else
#define RATCHET_XOSHIRO256PLUS_INL_H_
#endif

#include "kernels/support/rng/lanes-inl.h"
#include "kernels/support/rng/xoshiro256plus.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::HWY_NAMESPACE {

template <std::size_t kLanes>
class XoshiroLanes {
 public:
  XoshiroLanes(std::uint64_t seed, std::uint64_t stream) {
    SplitMix64 words = seeder(seed, stream);
    std::uint64_t state[4][kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const Xoshiro256Plus generator(words);
      for (int i = 0; i < 4; ++i) state[i][lane] = generator.state()[i];
    }
    for (int i = 0; i < 4; ++i) state_[i] = Lanes<kLanes>::load(state[i]);
  }

  /// The next 64-bit word of every lane. 8 vector operations (add, 5 xor, shift, rotate) where the
  /// machine rotates, 10 where it does not.
  HWY_INLINE Lanes<kLanes> next() {
    Lanes<kLanes> sums;
    for (std::size_t i = 0; i < Lanes<kLanes>::kParts; ++i) sums.part[i] = step(i);
    return sums;
  }

 private:
  HWY_INLINE typename Lanes<kLanes>::Part step(std::size_t i) {
    auto &s0 = state_[0].part[i], &s1 = state_[1].part[i];
    auto &s2 = state_[2].part[i], &s3 = state_[3].part[i];
    const auto sum = hn::Add(s0, s3);
    const auto shifted = hn::ShiftLeft<17>(s1);
    s2 = hn::Xor(s2, s0);
    s3 = hn::Xor(s3, s1);
    s1 = hn::Xor(s1, s2);
    s0 = hn::Xor(s0, s3);
    s2 = hn::Xor(s2, shifted);
    s3 = hn::RotateRight<64 - 45>(s3);
    return sum;
  }

  Lanes<kLanes> state_[4];
};

}  // namespace ratchet::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
