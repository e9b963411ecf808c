// graveler/cpu/12_aes_weyl
// Changed:  a generator of two AES rounds on a Weyl sequence, all eight draws of a round started
//           from one counter; a battle in each 64-bit lane, counted without any sum across lanes.
// Why:      08 does 11 vector operations a battle and waits: xoshiro's words depend on each other,
//           2 cycles an operation. AES rounds mix a whole register in one instruction, and words
//           made from a counter do not wait for each other.
// Expected: the floor: 8 draws of 3 operations (16 AES rounds in all), 4 AND, 4 POPCNT, 3
//           additions, 1 maximum are 36 operations for 8 battles. AES and POPCNT issue 2 a cycle
//           here (measured), other operations 4: 9 cycles, so 1.1 cycles a battle, 3.6 G battles/s
//           at 4.05 GHz.
//           In fact started one from another, the eight additions alone would cost 16 cycles.
//           Without AVX-512 AES works on half registers.
// Source:   ratchet.

#include <algorithm>

#define HWY_WANT_AVX3_DL  // for the vector POPCNT and AES rounds on whole registers
// AVX-512 without those two gains nothing over AVX2.
#define HWY_DISABLED_TARGETS HWY_AVX3
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graveler/cpu_12_aes_weyl.cpp"
#include "hwy/foreach_target.h"
#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/aes_weyl-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::graveler::HWY_NAMESPACE {
namespace {

#include "kernels/graveler/rounds/cpu_lanes-inl.h"
#include "kernels/graveler/rounds/cpu_rounds-inl.h"

/// Eight battles side by side, one in each 64-bit lane; eight draws of a row make their 256 turns.
struct BattlePerLane {
  static constexpr std::uint32_t kLanes = 8, kWords = 8, kBattles = 8;
  using Generator = ratchet::HWY_NAMESPACE::AesWeylLanes<kLanes, kWords>;
  using Replay = CounterLanes<kLanes>;
  using Row = Lanes<kLanes>;
  using Counts = Row;
  using Best = BestLanes<kLanes>;
  using Ignored = IgnoredRows;
  struct Kept : KeptRows<4, kLanes> {
    void copy(std::uint32_t battle, std::uint32_t* to) const {
      for (int i = 0; i < 4; ++i) split_word(word[i][battle], to + 2 * i);
    }
  };

  template <class Words, class Outcome>
  static HWY_INLINE Counts round(Words& words, Outcome& outcome) {
    Row word[kWords], turns[4];
    words.draw(word);
    for (std::size_t i = 0; i < 4; ++i) {
      turns[i] = Row::map([](auto a, auto b) HWY_ATTR { return hn::And(a, b); }, word[2 * i],
                          word[2 * i + 1]);
    }
    turns[3] = Row::map([](auto x) HWY_ATTR { return hn::And(x, hn::Set(Row::Tag(), kLastTurns)); },
                        turns[3]);
    for (std::size_t i = 0; i < 4; ++i) outcome.row(i, turns[i]);
    return Row::map([](auto a, auto b, auto c, auto d) HWY_ATTR { return ones_of(a, b, c, d); },
                    turns[0], turns[1], turns[2], turns[3]);
  }

  static void unpack(const Counts& counts, std::uint16_t* ones) {
    std::uint64_t lane[kLanes];
    counts.store(lane);
    for (std::uint32_t i = 0; i < kBattles; ++i) ones[i] = static_cast<std::uint16_t>(lane[i]);
  }

 private:
  // Bits set in each 64-bit lane of all four.
  template <class V>
  static HWY_INLINE V ones_of(V a, V b, V c, V d) {
#if HWY_TARGET == HWY_AVX3_DL || HWY_TARGET == HWY_SCALAR
    return hn::Add(hn::Add(hn::PopulationCount(a), hn::PopulationCount(b)),
                   hn::Add(hn::PopulationCount(c), hn::PopulationCount(d)));
#else
    // Without a 64-bit count: by bytes, at most 32 each, and across the lane only once.
    const hn::Repartition<std::uint8_t, Row::Tag> bytes;
    const auto count = [=](V x) HWY_ATTR { return hn::PopulationCount(hn::BitCast(bytes, x)); };
    return hn::SumsOf8(hn::Add(hn::Add(count(a), count(b)), hn::Add(count(c), count(d))));
#endif
  }
};

std::unique_ptr<Worker> make_aes_weyl(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BattlePerLane>(seed, index);
}

}  // namespace
}  // namespace ratchet::graveler::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::graveler {

HWY_EXPORT(make_aes_weyl);

std::unique_ptr<Worker> make_aes_weyl_worker(std::uint64_t seed, std::uint64_t index) {
  return HWY_DYNAMIC_DISPATCH(make_aes_weyl)(seed, index);
}

Layout aes_weyl_layout() {
  // The plain pairing of 64-bit words, in each lane.
  Layout layout = paired_words_layout(64);
  layout.lanes = layout.battles = 8;
  layout.site = [pairing = layout.site](std::uint32_t battle, std::uint32_t turn) {
    Site site = pairing(0, turn);
    site.lane = battle;
    return site;
  };
  return layout;
}

namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "Two AES rounds on a Weyl sequence, a battle in each 64-bit lane",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kAesWeylOpsPerBattle},
                .parameters = common_parameters(100'000'000)}),
    aes_weyl_layout(), &make_aes_weyl_worker)};

}  // namespace
}  // namespace ratchet::graveler
#endif  // HWY_ONCE
