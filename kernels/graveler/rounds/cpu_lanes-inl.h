// What the vector bodies share: the counter stream lane by lane, and what becomes of outcome bits.
//
// Included like cpu_rounds-inl.h, after it and after kernels/support/rng/lanes-inl.h, inside a
// stage's own unnamed namespace within its HWY_NAMESPACE.

namespace hn = hwy::HWY_NAMESPACE;
using ratchet::HWY_NAMESPACE::Lanes;

/// Lane l draws the words of stream first_stream + l.
template <std::size_t kLanes>
class CounterLanes {
 public:
  CounterLanes(std::uint64_t seed, std::uint64_t first_stream)
      : seed_(seed), first_(first_stream) {}

  Lanes<kLanes> next() {
    std::uint64_t words[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      words[lane] = counter_word64(seed_, first_ + lane, drawn_);
    ++drawn_;
    return Lanes<kLanes>::load(words);
  }
  template <std::size_t kDraws>
  void draw(Lanes<kLanes> (&rows)[kDraws]) {
    for (auto& row : rows) row = next();
  }

 private:
  std::uint64_t seed_, first_, drawn_ = 0;
};

struct IgnoredRows {
  template <std::size_t kLanes>
  HWY_INLINE void row(std::size_t, const Lanes<kLanes>&) {}
};

/// Keeps kRows rows of outcome words as they lay in the lanes.
template <std::size_t kRows, std::size_t kLanes>
struct KeptRows {
  std::uint64_t word[kRows][kLanes];
  void row(std::size_t i, const Lanes<kLanes>& turns) { turns.store(word[i]); }
};

/// The highest score seen in each lane.
template <std::size_t kLanes>
struct BestLanes {
  Lanes<kLanes> most;

  // Spelled out: an implicit constructor would be compiled for the wrong instruction set.
  HWY_INLINE BestLanes() : most(Lanes<kLanes>::zero()) {}
  HWY_INLINE void fold(const Lanes<kLanes>& ones) {
    most = Lanes<kLanes>::map([](auto a, auto b) HWY_ATTR { return hn::Max(a, b); }, most, ones);
  }
  std::uint32_t value() const {
    std::uint64_t lane[kLanes];
    most.store(lane);
    return static_cast<std::uint32_t>(*std::max_element(lane, lane + kLanes));
  }
};

inline void split_word(std::uint64_t word, std::uint32_t* to) {
  to[0] = static_cast<std::uint32_t>(word);
  to[1] = static_cast<std::uint32_t>(word >> 32);
}

/// The text's mask, !((1 << 25) - 1) in Rust: of a battle's last 64 turns it keeps the high 39.
constexpr std::uint64_t kLastTurns = ~((std::uint64_t{1} << (256 - kTurns)) - 1);
