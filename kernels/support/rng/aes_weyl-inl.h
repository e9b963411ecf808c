// AES-Weyl in the lanes of a vector: each pair of neighbouring 64-bit lanes is one AesWeyl
// generator.
//
// Lanes 2p and 2p+1 of stream s are AesWeyl on seed words 4p .. 4p+3 of seeder(seed, s), whatever
// the register width, so the numbers do not depend on the machine. Where the machine has no AES
// instructions the rounds are computed by arithmetic: right, and slow.
#if defined(RATCHET_AES_WEYL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef RATCHET_AES_WEYL_INL_H_
#undef RATCHET_AES_WEYL_INL_H_
#else
#define RATCHET_AES_WEYL_INL_H_
#endif

#include "kernels/support/rng/aes_weyl.h"
#include "kernels/support/rng/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::HWY_NAMESPACE {

/// kDraws rows at a time, as many as the kernel needs for one round of its work.
template <std::size_t kLanes, std::size_t kDraws>
class AesWeylLanes {
 public:
  AesWeylLanes(std::uint64_t seed, std::uint64_t stream) {
    SplitMix64 words = seeder(seed, stream);
    std::uint64_t block[kLanes], key[kLanes], step[kDraws][kLanes];
    for (std::size_t lane = 0; lane < kLanes; lane += 2) {
      const AesWeyl generator(words);
      for (std::size_t half = 0; half < 2; ++half) {
        block[lane + half] = generator.block()[half];
        key[lane + half] = generator.key()[half];
        for (std::size_t i = 0; i < kDraws; ++i)
          step[i][lane + half] = (i + 1) * AesWeyl::kStep[half];
      }
    }
    block_ = Row::load(block);
    key_ = Row::load(key);
    for (std::size_t i = 0; i < kDraws; ++i) step_[i] = Row::load(step[i]);
  }

  /// The next kDraws words of every lane. A row is 1 addition and 2 AES rounds; all additions start
  /// from the same block, so the rows do not wait for each other.
  HWY_INLINE void draw(Lanes<kLanes> (&rows)[kDraws]) {
    Row block;
    for (std::size_t i = 0; i < kDraws; ++i) {
      block =
          Row::map([](auto x, auto step) HWY_ATTR { return hn::Add(x, step); }, block_, step_[i]);
      rows[i] = rounds(block);
    }
    block_ = block;
  }

 private:
  using Row = Lanes<kLanes>;
  using Tag = typename Row::Tag;

#if HWY_TARGET == HWY_SCALAR
  HWY_INLINE Row rounds(const Row& block) const {
    std::uint64_t x[kLanes], key[kLanes];
    block.store(x);
    key_.store(key);
    for (std::size_t lane = 0; lane < kLanes; lane += 2) {
      AesWeyl::Block pair = {x[lane], x[lane + 1]};
      for (int round = 0; round < AesWeyl::kRounds; ++round)
        pair = AesWeyl::aes_round(pair, {key[lane], key[lane + 1]});
      x[lane] = pair[0], x[lane + 1] = pair[1];
    }
    return Row::load(x);
  }
#else
  template <class D>
  static HWY_INLINE hn::Vec<D> part_rounds(D tag, hn::Vec<D> block, hn::Vec<D> key) {
#if HWY_TARGET == HWY_AVX2
    if constexpr (hn::MaxLanes(D()) == 4) {
      // AVX2 has AES only on half registers: split once, not once per round.
      const hn::Half<D> half;
      return hn::Combine(tag,
                         part_rounds(half, hn::UpperHalf(half, block), hn::UpperHalf(half, key)),
                         part_rounds(half, hn::LowerHalf(half, block), hn::LowerHalf(half, key)));
    }
#endif
    const hn::Repartition<std::uint8_t, D> bytes;
    auto x = hn::BitCast(bytes, block);
    const auto round_key = hn::BitCast(bytes, key);
    for (int round = 0; round < AesWeyl::kRounds; ++round) x = hn::AESRound(x, round_key);
    return hn::BitCast(tag, x);
  }
  HWY_INLINE Row rounds(const Row& block) const {
    return Row::map([](auto x, auto key) HWY_ATTR { return part_rounds(Tag(), x, key); }, block,
                    key_);
  }
#endif

  Row block_, key_, step_[kDraws];
};

}  // namespace ratchet::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // per-target include guard
