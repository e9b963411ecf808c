// The text's vector body: two draws of a row, ANDed, give one battle in every four 64-bit lanes.
//
// Included like cpu_lanes-inl.h, after it. With four lanes a round is one battle, with eight it is
// two.

#if HWY_TARGET == HWY_AVX3_DL
/// A battle's ones in each of its four lanes, counted by the vector POPCNT.
template <std::size_t kLanes>
struct RowCounts {
  using Row = Lanes<kLanes>;
  using Best = BestLanes<kLanes>;

  static HWY_INLINE Row of(const Row& turns) {
    const typename Row::Tag tag;
    return Row::map(
        [=](auto x) HWY_ATTR {
          const auto ones = hn::PopulationCount(x);
          const auto pairs = hn::Add(ones, hn::Reverse2(tag, ones));
          return hn::Add(pairs, hn::Reverse4(tag, pairs));
        },
        turns);
  }
  static void unpack(const Row& counts, std::uint16_t* ones) {
    std::uint64_t lane[kLanes];
    counts.store(lane);
    for (std::size_t i = 0; i < kLanes / 4; ++i) ones[i] = static_cast<std::uint16_t>(lane[4 * i]);
  }
};
#else
/// Each battle's ones, counted lane by lane by the scalar POPCNT, which takes no vector unit's
/// time.
template <std::size_t kLanes>
struct RowCounts {
  struct Scores {
    std::uint32_t ones[kLanes / 4];
  };
  struct Best {
    std::uint32_t most = 0;
    HWY_INLINE void fold(const Scores& scores) {
      for (const std::uint32_t ones : scores.ones) most = ones > most ? ones : most;
    }
    std::uint32_t value() const { return most; }
  };

  static HWY_INLINE Scores of(const Lanes<kLanes>& turns) {
    std::uint64_t lane[kLanes];
    turns.store(lane);
    Scores scores;
    for (std::size_t i = 0; i < kLanes / 4; ++i) {
      const auto count = [&](std::size_t at) HWY_ATTR {
        return static_cast<std::uint32_t>(__builtin_popcountll(lane[4 * i + at]));
      };
      scores.ones[i] = count(0) + count(1) + count(2) + count(3);
    }
    return scores;
  }
  static void unpack(const Scores& scores, std::uint16_t* ones) {
    for (std::size_t i = 0; i < kLanes / 4; ++i)
      ones[i] = static_cast<std::uint16_t>(scores.ones[i]);
  }
};
#endif

template <std::size_t kRowLanes>
struct XoshiroRows : RowCounts<kRowLanes> {
  static constexpr std::uint32_t kLanes = kRowLanes, kWords = 2, kBattles = kRowLanes / 4;
  using Generator = ratchet::HWY_NAMESPACE::XoshiroLanes<kRowLanes>;
  using Replay = CounterLanes<kRowLanes>;
  using Ignored = IgnoredRows;
  struct Kept : KeptRows<1, kRowLanes> {
    void copy(std::uint32_t battle, std::uint32_t* to) const {
      for (int i = 0; i < 4; ++i) split_word(this->word[0][4 * battle + i], to + 2 * i);
    }
  };

  template <class Words, class Outcome>
  static HWY_INLINE auto round(Words& words, Outcome& outcome) {
    const auto first = words.next();
    const auto second = words.next();
    const auto turns = Lanes<kRowLanes>::map([](auto a, auto b, auto mask)
                                                 HWY_ATTR { return hn::And(hn::And(a, b), mask); },
                                             first, second, masks());
    outcome.row(0, turns);
    return RowCounts<kRowLanes>::of(turns);
  }

 private:
  static HWY_INLINE Lanes<kRowLanes> masks() {
    std::uint64_t mask[kRowLanes];
    for (std::size_t lane = 0; lane < kRowLanes; ++lane)
      mask[lane] = lane % 4 == 3 ? kLastTurns : ~std::uint64_t{0};
    return Lanes<kRowLanes>::load(mask);
  }
};

inline Layout xoshiro_rows_layout(std::uint32_t lanes) {
  Layout layout;
  layout.word_bits = 64;
  layout.lanes = lanes;
  layout.words = 2;
  layout.battles = lanes / 4;
  layout.site = [](std::uint32_t battle, std::uint32_t turn) {
    const std::uint32_t bit = turn < 192 ? turn % 64 : turn - 192 + (256 - kTurns);
    return Site{
        .lane = 4 * battle + turn / 64, .word_a = 0, .bit_a = bit, .word_b = 1, .bit_b = bit};
  };
  return layout;
}
