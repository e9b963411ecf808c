#include "correctness/graveler/negative/faulty_stage.h"

#include <algorithm>
#include <array>
#include <optional>

#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/splitmix64.h"

namespace ratchet::graveler {
namespace {

constexpr std::uint32_t kGroups = 16;
using Outcome = std::array<std::uint32_t, 8>;

/// The words of one group: its own generator, or the counter stream.
class Source {
 public:
  Source(Fault fault, std::uint64_t seed, std::uint32_t group)
      : fault_(fault), engine_(seeder(engine_seed(fault, seed, group), 0)) {
    if (fault == Fault::overlapping_streams) skip(16 * 37 * group);
    if (fault == Fault::shifted_seeds) skip(16 * (seed % 64));
  }
  static Source counter(Fault fault, std::uint64_t seed, std::uint32_t group) {
    Source source(fault, 0, 0);
    source.counter_ = {seed, group};
    return source;
  }

  std::uint32_t next() {
    if (counter_) return counter_word32(counter_->seed, counter_->stream, index_++);
    auto word = static_cast<std::uint32_t>(engine_.next64() >> 32);
    // OR with a word of bits of probability 2^-9: P(bit) = 0.5 + 2^-10, P(one) = 0.25 + 0.98e-3.
    if (fault_ == Fault::biased_generator) word |= rare_bits(9);
    return word;
  }
  /// Bits that are ones with probability 2^-power.
  std::uint32_t rare_bits(int power) {
    std::uint32_t bits = ~0u;
    for (int i = 0; i < power; ++i) bits &= static_cast<std::uint32_t>(engine_.next64() >> 32);
    return bits;
  }
  bool on_counter() const { return counter_.has_value(); }

 private:
  static std::uint64_t engine_seed(Fault fault, std::uint64_t seed, std::uint32_t group) {
    if (fault == Fault::seed_ignored) seed = 0;
    if (fault == Fault::seed_cut) seed &= ~(std::uint64_t{1} << 40);
    if (fault == Fault::shifted_seeds) seed /= 64;
    if (fault == Fault::equal_seeds) group /= 2;
    if (fault == Fault::overlapping_streams) group = 0;
    return seed * 1'000'003 + group;
  }
  void skip(std::uint64_t words) {
    for (; words > 0; --words) engine_.next64();
  }
  struct Counter {
    std::uint64_t seed, stream;
  };
  Fault fault_;
  SplitMix64 engine_;
  std::optional<Counter> counter_;
  std::uint64_t index_ = 0;
};

std::uint32_t last_mask(Fault fault) {
  switch (fault) {
    case Fault::short_mask:
      return ~std::uint32_t{0} << 26;
    case Fault::long_mask:
      return ~std::uint32_t{0} << 24;
    case Fault::printed:
      return 0;
    default:
      return ~std::uint32_t{0} << 25;
  }
}

/// One group's player: the body of the stage.
class Player {
 public:
  Player(Fault fault, Source source) : fault_(fault), source_(std::move(source)) {}

  Outcome battle() {
    std::array<std::uint32_t, 16> words = draw();
    if (fault_ == Fault::reused_word) words[2] = words[0];
    Outcome outcome{};
    for (std::uint32_t pair = 0; pair < 8; ++pair) {
      const std::uint32_t a = words[2 * pair], b = words[2 * pair + 1];
      outcome[pair] = fault_ == Fault::or_for_and ? a | b : a & b;
    }
    outcome[7] &= last_mask(fault_);
    if (fault_ == Fault::sticky_battles && !source_.on_counter()) stick(outcome);
    return before_ = outcome;
  }

 private:
  std::array<std::uint32_t, 16> draw() {
    std::array<std::uint32_t, 16> words;
    for (auto& word : words) word = source_.next();
    if (fault_ == Fault::linear_battles && ++drawn_ % 3 == 0 && !source_.on_counter())
      for (std::uint32_t i = 0; i < 16; ++i) words[i] = last_[0][i] ^ last_[1][i];
    if (fault_ == Fault::linear_words && !source_.on_counter())
      for (std::uint32_t i = 0; i < 2; ++i) words[4 + i] = words[i] ^ words[2 + i];
    last_[0] = last_[1];
    return last_[1] = words;
  }
  void stick(Outcome& outcome) {
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t copied = source_.rare_bits(7);
      outcome[i] = (outcome[i] & ~copied) | (before_[i] & copied);
    }
  }
  Fault fault_;
  Source source_;
  Outcome before_{};
  std::array<std::uint32_t, 16> last_[2]{};
  std::uint64_t drawn_ = 0;
};

/// By bytes, for the portable build has no instruction that counts, and calls a function per word.
std::uint32_t count(const Outcome& outcome) {
  std::uint32_t bytes = 0;  // of at most 64 ones each
  for (std::uint32_t word : outcome) {
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    bytes += (word + (word >> 4)) & 0x0f0f0f0f;
  }
  return bytes * 0x01010101u >> 24;
}

std::uint64_t share(Fault fault, std::uint64_t battles, std::uint32_t group) {
  if (fault == Fault::dropped_tail) return battles / kGroups;
  if (fault == Fault::one_too_many || fault == Fault::printed) return battles / kGroups + 1;
  return battles / kGroups + (group < battles % kGroups ? 1 : 0);
}

std::vector<Player> players(Fault fault, std::uint64_t seed) {
  std::vector<Player> all;
  for (std::uint32_t group = 0; group < kGroups; ++group)
    all.emplace_back(fault, Source(fault, seed, group));
  return all;
}

class FaultySimulation final : public Simulation {
 public:
  FaultySimulation(Fault fault, std::uint64_t battles, std::uint64_t seed)
      : fault_(fault), battles_(battles), seed_(seed), players_(players(fault, seed)) {}

  void run() override {
    if (fault_ == Fault::stale_state) players_ = players(fault_, seed_);
    result_ = {};
    for (std::uint32_t group = 0; group < kGroups; ++group) {
      const std::uint64_t mine = share(fault_, battles_, group);
      for (std::uint64_t i = 0; i < mine; ++i) {
        const std::uint32_t ones = count(players_[group].battle());
        const bool lost = (fault_ == Fault::lost_groups && group >= kGroups / 2) ||
                          (fault_ == Fault::claimed_battles && i >= mine - mine / 5);
        if (!lost) result_.max_ones = std::max(result_.max_ones, ones);
      }
      result_.battles += mine;
    }
  }
  Result collect() override { return result_; }
  std::uint64_t units() const override { return battles_; }

 private:
  Fault fault_;
  std::uint64_t battles_, seed_;
  std::vector<Player> players_;
  Result result_;
};

class FaultyStage final : public GravelerStage {
 public:
  FaultyStage(Fault fault, StageInfo info) : GravelerStage(std::move(info)), fault_(fault) {}

  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    return std::make_unique<FaultySimulation>(fault_, parameters.at("battles"),
                                              parameters.at("seed"));
  }
  Histogram histogram(const Parameters& parameters) const override {
    Histogram histogram{};
    auto all = players(fault_, parameters.at("seed"));
    for (std::uint32_t group = 0; group < kGroups; ++group)
      for (std::uint64_t i = share(fault_, parameters.at("battles"), group); i > 0; --i)
        ++histogram[std::min(kTurns, count(all[group].battle()))];
    return histogram;
  }
  Trace trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
              std::uint32_t rounds) const override {
    const std::uint64_t seed = parameters.at("seed");
    Trace trace;
    trace.groups = std::min(max_groups, kGroups);
    trace.groups_per_block = 4;
    trace.rounds = rounds;
    for (std::uint32_t group = 0; group < trace.groups; ++group) {
      Player player(fault_, stream == Stream::counter ? Source::counter(fault_, seed, group)
                                                      : Source(fault_, seed, group));
      for (std::uint32_t round = 0; round < rounds; ++round) {
        const Outcome outcome = player.battle();
        trace.ones.push_back(static_cast<std::uint16_t>(count(outcome)));
        trace.outcome.insert(trace.outcome.end(), outcome.begin(), outcome.end());
      }
    }
    if (fault_ == Fault::ones_off)
      std::rotate(trace.ones.begin(), trace.ones.begin() + 1, trace.ones.end());
    return trace;
  }
  Layout layout() const override { return paired_words_layout(32); }

 private:
  Fault fault_;
};

}  // namespace

std::unique_ptr<GravelerStage> faulty_stage(Fault fault, const std::string& name) {
  return std::make_unique<FaultyStage>(fault, stage_info({.name = name,
                                                          .summary = "a stage with a planted fault",
                                                          .source = "ratchet",
                                                          .parameters = common_parameters(100'000),
                                                          .as_printed = fault == Fault::printed}));
}

}  // namespace ratchet::graveler
