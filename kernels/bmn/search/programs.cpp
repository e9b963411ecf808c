// `ratchet run bmn search` and `ratchet run bmn exhaust`.
//
// Both work by the fastest stage that can run here; what they find depends on its name in nothing,
// since all stages play the same deals.
#include <fmt/format.h>

#include <limits>

#include "kernels/bmn/search/best.h"
#include "kernels/bmn/search/climb.h"
#include "kernels/bmn/search/ranks.h"
#include "kernels/contract/program.h"
#include "perf/support/error.h"

namespace ratchet::bmn::search {
namespace {

constexpr double kKeepEvery = 0.25;  // a line of a hundred characters
constexpr std::uint64_t kMaxSeed = std::numeric_limits<std::uint64_t>::max();
/// How many deals a run has: between two of them a program stops, and its state is kept.
Parameter slice_parameter() {
  return {"slice", 0, 0, kMaxDeals, "deals between two moments to stop at; 0: about a second's"};
}
std::uint64_t slice_of(const Parameters& parameters, const Stage& stage) {
  const std::uint64_t asked = parameters.at("slice");
  return asked > 0 ? asked : stage.info().backend == Backend::cpu ? 1'000'000u : 4'000'000'000u;
}

enum Method : std::uint64_t { kShuffles, kSwaps, kClimb };

/// "next=N turns=...": what both programs keep.
struct State {
  std::uint64_t next = 0;
  Best best;

  static State of_text(const std::string& text) {
    unsigned long long next = 0;
    int end = 0;
    if (std::sscanf(text.c_str(), "next=%llu %n", &next, &end) != 1 || end == 0)
      throw Error("'" + text +
                  "' is not a state of this search; name another record file (--records)");
    return {next, Best::of_text(text.substr(static_cast<std::size_t>(end)))};
  }
  std::string text() const { return fmt::format("next={} {}", next, best.text()); }
};

/// The longest games and the capped ones of a run, as records.
void take_result(Best& best, const Result& result, const BmnStage& stage,
                 const Parameters& parameters, const std::string& where,
                 std::vector<std::string>& records) {
  demand_all_kept(result.capped, result.capped_games.size(), result.deals, parameters.at("cap"));
  const auto found = [&](const Game& game) {
    // Turns and tricks of the game of most turns; the stage keeps only what it is the longest by.
    const std::vector<Outcome> outcome = stage.play(parameters, {&game.deal, 1});
    best.take(game.deal, outcome[0].turns, outcome[0].tricks,
              fmt::format(" [{}, deal {}]", where, game.index), records);
  };
  if (result.most_turns.outcome.turns > best.turns) found(result.most_turns);
  if (result.most_tricks.outcome.tricks > best.tricks) found(result.most_tricks);
  for (const Game& game : result.capped_games)
    best.take_capped(game.deal, fmt::format(" [{}, deal {}]", where, game.index), records);
}

/// As the article's program begins its log: who plays how many deals, and what a deal takes.
std::string heading_of(const Stage& stage, const Parameters& parameters) {
  std::string text = stage.info().name;
  if (parameters.has("threads")) text += fmt::format(", threads {}", parameters.at("threads"));
  for (const char* name : {"deals", "climbers"})
    if (parameters.has(name)) text += fmt::format("\n{} {} per search", parameters.at(name), name);
  return text + fmt::format("\nsizeof(Deal) is {} bytes\nsizeof(Game) is {} bytes\n", sizeof(Deal),
                            sizeof(Game));
}

/// Run after run, each under a seed of its own.
class Search final : public Work {
 public:
  Search(const Parameters& parameters, const std::string& state)
      : method_(parameters.at("method")),
        stage_(method_ == kShuffles ? *fastest({"bmn/cuda/12_short_steps", "bmn/cpu/04_planes"})
               : method_ == kSwaps  ? *fastest({"bmn/cuda/09_swaps", "bmn/cpu/05_swaps"})
                                    : *fastest({"bmn/cuda/11_climb", "bmn/cpu/07_climb"})),
        own_(stage_.defaults()),
        seed_(parameters.at("seed")) {
    if (!state.empty()) state_ = State::of_text(state);
    own_.set("cap", parameters.at("cap"));
    const bool cpu = stage_.info().backend == Backend::cpu;
    if (method_ == kClimb)
      own_.set({{"climbers", cpu ? 256 : 1 << 18}, {"rounds", 200}});
    else
      own_.set("deals", slice_of(parameters, stage_));
  }

  Slice advance() override {
    own_.set("seed", seed_ + state_.next);
    Slice slice;
    if (method_ == kClimb)
      climb(slice);
    else
      play(slice);
    ++state_.next;
    return slice;
  }
  std::string state() override { return state_.text(); }
  std::string heading() const override { return heading_of(stage_, own_); }
  std::string best() const override {
    return fmt::format("{} turns, {} tricks, {} endless; {}", state_.best.turns, state_.best.tricks,
                       state_.best.endless, stage_.info().name);
  }

 private:
  std::string where() const { return fmt::format("seed {}", own_.at("seed")); }

  void play(Slice& slice) {
    const auto& stage = dynamic_cast<const BmnStage&>(stage_);
    const auto table = stage.prepare_table(own_);
    table->run();
    table->wait();
    const Result result = table->collect();
    slice.units = result.deals;
    take_result(state_.best, result, stage, own_, where(), slice.records);
  }
  void climb(Slice& slice) {
    const auto climb = dynamic_cast<const ClimbStage&>(stage_).prepare_climb(own_);
    climb->run();
    climb->wait();
    const ClimbResult result = climb->collect();
    slice.units = result.deals;
    take_climb(state_.best, result, own_.at("cap"), where(), slice.records);
  }

  std::uint64_t method_;
  const Stage& stage_;
  Parameters own_;
  std::uint64_t seed_;
  State state_;
};

class SearchProgram final : public Program {
 public:
  SearchProgram()
      : Program({.name = "bmn/search",
                 .summary = "Looks for the longest games, and for those that never end",
                 .unit = "deals tested",
                 .parameters = {{"method", kShuffles, kShuffles, kClimb,
                                 "0 independent shuffles, 1 chains of swaps, 2 hill climbing"},
                                {"seed", 1, 0, kMaxSeed, "of the first run; each has the next"},
                                {"cap", kDefaultCap, 1000, kMaxCap,
                                 "turns after which a game is looked into by exact comparison"},
                                slice_parameter()},
                 .keep_every_s = kKeepEvery}) {}
  std::unique_ptr<Work> open(const Parameters& parameters, const std::string& state,
                             const std::filesystem::path&) const override {
    return std::make_unique<Search>(parameters, state);
  }
};

/// Ranks in order.
class Exhaust final : public Work {
 public:
  Exhaust(const Parameters& parameters, const std::string& state)
      : stage_(dynamic_cast<const BmnStage&>(
            *fastest({"bmn/cuda/13_exhaustive", "bmn/cpu/06_exhaustive"}))),
        own_(stage_.defaults()),
        end_(parameters.at("end")),
        slice_(slice_of(parameters, stage_)) {
    state_.next = parameters.at("first");
    if (!state.empty()) state_ = State::of_text(state);
    own_.set({{"cap", parameters.at("cap")}, {"deals", slice_}});
  }

  Slice advance() override {
    Slice slice;
    slice.units = state_.next < end_ ? std::min(slice_, end_ - state_.next) : 0;
    if (slice.units > 0) {
      own_.set({{"first", state_.next}, {"deals", slice.units}});
      const auto table = stage_.prepare_table(own_);
      table->run();
      table->wait();
      take_result(state_.best, table->collect(), stage_, own_, fmt::format("rank {}", state_.next),
                  slice.records);
      state_.next += slice.units;
    }
    slice.finished = state_.next >= end_;
    return slice;
  }
  std::string state() override { return state_.text(); }
  std::string heading() const override { return heading_of(stage_, own_); }
  std::string best() const override {
    return fmt::format("{} endless, {} turns, {} tricks; {:.4f} % of all", state_.best.endless,
                       state_.best.turns, state_.best.tricks,
                       100.0 * static_cast<double>(state_.next) / static_cast<double>(kShortDeals));
  }

 private:
  const BmnStage& stage_;
  Parameters own_;
  std::uint64_t end_, slice_;
  State state_;
};

class ExhaustProgram final : public Program {
 public:
  ExhaustProgram()
      : Program(
            {.name = "bmn/exhaust",
             .summary = "Plays all deals of the game with 40 cards, or those of a range of ranks",
             .unit = "deals tested",
             .parameters = {{"first", 0, 0, kShortDeals, "rank to begin with"},
                            {"end", kShortDeals, 0, kShortDeals, "rank to end before"},
                            {"cap", kDefaultCap, 1000, kMaxCap,
                             "turns after which a game is looked into by exact comparison"},
                            slice_parameter()},
             .keep_every_s = kKeepEvery}) {}
  std::unique_ptr<Work> open(const Parameters& parameters, const std::string& state,
                             const std::filesystem::path&) const override {
    return std::make_unique<Exhaust>(parameters, state);
  }
};

const ProgramRegistration search_program{std::make_unique<SearchProgram>()};
const ProgramRegistration exhaust_program{std::make_unique<ExhaustProgram>()};

}  // namespace
}  // namespace ratchet::bmn::search
