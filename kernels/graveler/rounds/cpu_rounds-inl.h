// The loops around a stage's body: the maximum, the histogram and the trace.
//
// No include guard, on purpose: every stage includes this inside its own unnamed namespace, and
// inside its own `#pragma GCC target` where it has one, so that the loops are compiled for that
// stage's instruction set and no other stage's copy can take their place. It includes nothing
// itself; include kernels/graveler/stages/cpu_stage.h and <algorithm> before.
//
// A body has
//   kLanes, kWords, kBattles   as its Layout states them (lanes, words, battles)
//   Generator(seed, index)     its own words: next64() (cpu_scalar-inl.h), or next() of lanes
//   Replay(seed, first_stream) the same words from the counter stream
//   unpack(counts, ones*)      what round() returned, as its kBattles scores one by one
//   Best                       running maximum: fold(counts), value()
//   Ignored, Kept              what becomes of the outcome bits: dropped, or copied out by
//                              Kept::copy(battle, word*)
//   round(words, outcome)      one round
// Everything in it is always-inline, so dropped outcome bits cost nothing.

template <class Body>
class RoundWorker final : public Worker {
 public:
  RoundWorker(std::uint64_t seed, std::uint64_t index) : generator_(seed, index) {}

  std::uint32_t max_ones(std::uint64_t battles) override {
    auto words = generator_;  // a copy the compiler can keep in registers
    typename Body::Best best;
    typename Body::Ignored ignored;
    for (std::uint64_t rounds = battles / Body::kBattles; rounds > 0; --rounds)
      best.fold(Body::round(words, ignored));
    std::uint32_t most = best.value();
    if (const std::uint32_t rest = battles % Body::kBattles) {
      std::uint16_t ones[Body::kBattles];
      Body::unpack(Body::round(words, ignored), ones);
      for (std::uint32_t i = 0; i < rest; ++i) most = ones[i] > most ? ones[i] : most;
    }
    generator_ = words;
    return most;
  }

  void add_to(Histogram& histogram, std::uint64_t battles) override {
    typename Body::Ignored ignored;
    while (battles > 0) {
      std::uint16_t ones[Body::kBattles];
      Body::unpack(Body::round(generator_, ignored), ones);
      const std::uint64_t live = battles < Body::kBattles ? battles : Body::kBattles;
      for (std::uint64_t i = 0; i < live; ++i) ++histogram[ones[i]];
      battles -= live;
    }
  }

  void trace(Trace& trace, std::uint32_t group, Stream stream, std::uint64_t seed) override {
    if (stream == Stream::own) return record(generator_, trace, group);
    typename Body::Replay replay(seed, std::uint64_t{group} * Body::kLanes);
    record(replay, trace, group);
  }

 private:
  template <class Words>
  static void record(Words& words, Trace& trace, std::uint32_t group) {
    std::size_t entry = std::size_t{group} * trace.rounds * Body::kBattles;
    for (std::uint32_t round = 0; round < trace.rounds; ++round, entry += Body::kBattles) {
      typename Body::Kept kept;
      Body::unpack(Body::round(words, kept), &trace.ones[entry]);
      for (std::uint32_t i = 0; i < Body::kBattles; ++i)
        kept.copy(i, &trace.outcome[(entry + i) * trace.words_per_battle]);
    }
  }

  typename Body::Generator generator_;
};

template <class Body>
std::unique_ptr<Worker> make_round_worker(std::uint64_t seed, std::uint64_t index) {
  return std::make_unique<RoundWorker<Body>>(seed, index);
}
