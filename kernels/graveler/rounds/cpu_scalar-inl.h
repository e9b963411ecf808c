// The two scalar bodies, roll by roll and 64 turns at a time, for any generator.
//
// Included like cpu_rounds-inl.h, after it, inside a stage's own unnamed namespace.

struct ScalarBattle {
  static constexpr std::uint32_t kLanes = 1, kBattles = 1;
  using Counts = std::uint32_t;

  struct Best {
    std::uint32_t most = 0;
    RATCHET_INLINE void fold(Counts ones) { most = ones > most ? ones : most; }
    std::uint32_t value() const { return most; }
  };
  struct Ignored {
    RATCHET_INLINE void turn(std::uint32_t, bool) {}
    RATCHET_INLINE void turns(std::uint32_t, std::uint64_t) {}
  };
  struct Kept {
    std::uint64_t word[4] = {};
    void turn(std::uint32_t turn, bool one) { word[turn / 64] |= std::uint64_t{one} << turn % 64; }
    void turns(std::uint32_t i, std::uint64_t ones) { word[i] = ones; }
    void copy(std::uint32_t, std::uint32_t* to) const {
      for (std::uint32_t i = 0; i < 8; ++i)
        to[i] = static_cast<std::uint32_t>(word[i / 2] >> (i % 2 * 32));
    }
  };

  static RATCHET_INLINE void unpack(Counts counts, std::uint16_t* ones) {
    ones[0] = static_cast<std::uint16_t>(counts);
  }
};

/// One 32-bit word a roll; a one when it divides by four.
template <class Source>
struct RollByRoll : ScalarBattle {
  static constexpr std::uint32_t kWords = kTurns;
  using Generator = Source;
  using Replay = CounterWords;

  template <class Words, class Outcome>
  static RATCHET_INLINE Counts round(Words& words, Outcome& outcome) {
    Counts ones = 0;
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
      const bool one = words.next32() % 4 == 0;
      ones += one;
      outcome.turn(turn, one);
    }
    return ones;
  }
};

/// 64 turns from the AND of two words, 256 in all, of which the mask drops 25.
template <class Source>
struct BitAnd : ScalarBattle {
  static constexpr std::uint32_t kWords = 8;
  using Generator = Source;
  using Replay = CounterWords;

  template <class Words, class Outcome>
  static RATCHET_INLINE Counts round(Words& words, Outcome& outcome) {
    // The text's Rust says !((1 << 25) - 1); in C++ ! is logical and would make the mask 0.
    constexpr std::uint64_t kLast = ~((std::uint64_t{1} << (256 - kTurns)) - 1);
    std::uint64_t word[kWords];
    // One place that draws: a block generator is inlined once, not eight times.
    for (auto& drawn : word) drawn = words.next64();
    Counts ones = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint64_t turns = word[2 * i] & word[2 * i + 1];
      if (i == 3) turns &= kLast;
      ones += static_cast<Counts>(__builtin_popcountll(turns));
      outcome.turns(i, turns);
    }
    return ones;
  }
};
