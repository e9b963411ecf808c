// One measuring session: check the stages, then launch after launch over all rows, within a budget.
// With one side it measures a build; with two it measures two builds in pairs of launches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/bench_program.h"
#include "perf/gate/run/quiet_cpu.h"
#include "perf/gate/run/selection.h"
#include "perf/gate/run/turn_launch.h"
#include "perf/support/files.h"

namespace ratchet::gate {

struct SessionOptions {
  SelectionOptions selection;
  std::size_t launches = 9;  ///< launches a row before the first look; one side only
  double budget_s = 240;     ///< wall time of the whole session, checks included
  /// Time for the samples of one launch of one row, seconds. 0: with one side as long as the budget
  /// allows; with two, short (many short pairs see more than few long ones), but long enough for
  /// eight samples: one or two cannot tell the stage from what disturbed it.
  double sample_s = 0;
  double point_s = 1;      ///< for judging a row at its point (check_points), at most
  std::uint64_t seed = 0;  ///< of the order within pairs
  bool turns = true;       ///< two sides: both alive at once and by turns, where both can
  /// Devices that the rows of a GPU are spread over, as CUDA_VISIBLE_DEVICES names them; with fewer
  /// than two they run where this process would.
  std::vector<std::string> gpus = {};
  std::optional<double> turn_s;  ///< how long a turn is; otherwise as the row's CPUs want it
  /// Rows of one thread whose pairs take turns that are measured at once, each on a CPU of its own;
  /// 0: one a CPU, eight at most.
  std::size_t lanes = 0;
  /// Shows where things stand in place of the line before (LiveLine); else a line now and then.
  std::function<void(const std::string&)> show = {};
};

/// A build under measurement.
struct Side {
  std::string name;  ///< for people: "base", "new"; may be empty where there is only one
  const BenchProgram* program = nullptr;
};

class Session {
 public:
  /// Lists the rows and selects. `progress` receives lines for people. Throws `Error` when the
  /// filter matches nothing that is known, here or as unavailable.
  Session(std::vector<Side> sides, SessionOptions options,
          std::function<void(const std::string&)> progress);

  /// Checks every selected stage of every side in a process of its own; rows of stages that fail
  /// are not timed.
  void check();
  /// Judges what these rows compute at the very points that are timed, on one side, in the seconds
  /// that the budget allows: a fifth of it for all of them, by `point_s` a row at most; when both
  /// are over, no further one is begun. Rows that are wrong fail; those that would take longer, or
  /// were not reached, stay unchecked, and their launches say so.
  void check_points(const std::set<std::string>& rows, std::size_t side);
  /// Takes over the checks of an earlier session of the same programs.
  void trust(const Session& earlier);
  /// `count` rounds over the given rows; a round launches each row once a side. One side: rows
  /// forwards and backwards in turn, so that a drift of the machine is shared by all. Two: the
  /// order of the sides within each pair is drawn at random, independently, which is what makes the
  /// judgement of pairs exact (stats/paired.h). Rows that fail are dropped. Stops between rounds
  /// when the budget is over, but not before `least` rounds are made. Launches that others
  /// displaced are put aside, of two sides the whole pair, and made again, in as many rounds again
  /// at most.
  void measure(const std::set<std::string>& rows, std::size_t count, std::size_t least = 0);

  /// The same of one row, without a word, and never beyond the budget.
  void measure_row(const std::string& row, std::size_t count);
  /// Whether pairs of this row are made on one CPU while others are made on others.
  bool goes_beside_others(const std::string& row) const;
  /// As measure_row(), of several such rows at once, so many pairs each.
  void measure_beside(const std::map<std::string, std::size_t>& pairs);
  /// How many rows measure_beside() has under way at a time.
  std::size_t lanes() const { return lanes_; }
  /// As measure(), with samples of that length, for at most that share of the budget and while it
  /// lasts, but one round in any case: for rows about which nothing is left to decide.
  void measure_short(const std::set<std::string>& rows, std::size_t count, double sample_s,
                     double share_of_budget);

  double budget_s() const { return options_.budget_s; }
  /// Sets how long the samples of pairs are, so that `pairs` pairs of each of these rows fit well
  /// into the budget.
  void plan_pairs(const std::set<std::string>& rows, std::size_t pairs);

  /// Of the budget, less what is set aside.
  double seconds_left() const;
  /// From now on so many seconds of the budget are kept for what comes later.
  void set_aside(double seconds) { set_aside_s_ = seconds; }
  double seconds_spent() const;
  /// Of those, how many the workers ran; the rest is the gate's own.
  double seconds_measuring() const { return worker_s_; }
  std::size_t launches() const { return options_.launches; }
  void say(const std::string& line) const { progress_(line); }
  /// Says where things stand: at once where that is shown in place, else now and then.
  void tell(const std::string& line);
  /// Selected rows that every side has and that have not failed.
  std::set<std::string> alive() const;
  const Selection& selection() const { return selection_; }

  /// What a side measured; of two sides, launch i of one belongs to launch i of the other.
  const Measurements& measured(std::size_t side = 0) const { return measured_.at(side); }
  /// How many launches of a row, of two sides pairs, were put aside because others held the CPU.
  /// A row that has no others is shown by them: then each of its launches is displaced().
  std::size_t displaced(const std::string& row) const;
  /// And how many are there that nobody displaced.
  std::size_t clean_launches(const std::string& row) const;
  /// What the row's last launch, of two sides its last pair, took, seconds; 0: it had none.
  double launch_s(const std::string& row) const;
  const std::set<std::string>& rows() const { return selection_.rows(); }
  const std::map<std::string, Failure>& failures() const { return failures_; }
  const std::map<std::string, std::string>& unavailable() const { return selection_.unavailable(); }

 private:
  using Outcomes = std::map<std::string, LaunchOutcome>;
  void check_stages(const std::vector<std::string>& stages);
  /// Rows of one stage, of one side.
  struct PointCheck {
    std::size_t side = 0;
    std::vector<std::string> rows;
  };
  std::size_t check_points(const std::vector<PointCheck>& checks, double seconds, double until);
  void take(const PointCheck& check, const std::map<std::string, CheckOutcome>& outcomes);
  void agree_on_turns();
  double sample_budget_s(const std::vector<std::string>& rows) const;
  /// Rows that share a process a side, and what these measured.
  struct Batch {
    std::vector<std::string> rows;
    std::vector<std::size_t> order;  ///< of the sides
    LaunchRequest request;
    std::vector<Outcomes> outcomes = {};  ///< by side
    double seconds = 0;
  };
  Batch batch_of(const std::vector<std::string>& rows);
  void measure_batch(Batch& batch) const;
  bool fell_apart(const Batch& batch);
  void keep(const Batch& batch);
  void launch_together(const std::vector<std::string>& rows);
  bool launch_on_gpus(std::vector<std::string> rows);
  /// A pair in turns, and what it needs.
  struct TurnsPair {
    std::string row;
    TurnPlan plan;
    LaunchRequest request;
    std::vector<std::size_t> order;  ///< in which the sides are started
    std::mt19937_64 generator;
    std::size_t lane = 0;  ///< those of different lanes may be under way at once
    double seconds = 0;
    PairOutcome outcome = {};
  };
  TurnsPair turns_pair(const std::string& row, int cpu, std::size_t lane);
  void measure_turns(TurnsPair& pair) const;
  void keep(const TurnsPair& pair);
  void launch_in_turns(const std::string& row);
  using Lap = std::pair<std::string, std::size_t>;  ///< a row, and how many pairs of it
  void run_laps(const std::vector<Lap>& laps);
  double call_s(const std::string& row) const;
  std::vector<std::size_t> draw_order();
  void keep(const std::vector<Outcomes>& outcomes, const std::string& row);
  bool fit(const std::vector<Outcomes>& outcomes, const std::string& row);
  void retake(const std::map<std::string, std::size_t>& wanted, std::size_t rounds);
  void show_displaced(const std::set<std::string>& rows);
  void fail(const std::string& row, const std::string& reason, bool unverified);
  void take_context(std::size_t side, const nlohmann::json& context);
  void plan_budget(std::size_t rows, std::size_t launches);
  void round(const std::vector<std::string>& order);
  void show(const std::string& what) const;
  std::filesystem::path proofs(std::size_t side) const;

  std::vector<Side> sides_;
  SessionOptions options_;
  std::function<void(const std::string&)> progress_;
  double start_s_;
  std::string standing_;  ///< the last line told, where it is shown in place
  double told_s_;         ///< when the last line about rounds was
  double worker_s_ = 0;
  Selection selection_;
  ScratchFolder scratch_;
  std::mt19937_64 generator_;
  QuietCpu quiet_cpu_;
  bool batches_ = true;                   ///< until one fails
  std::map<std::string, Cpus> in_turns_;  ///< the rows whose pairs take turns
  std::size_t lanes_;
  std::map<std::string, Failure> failures_;
  std::size_t rounds_done_ = 0;
  double set_aside_s_ = 0;
  double sample_budget_s_ = 0;
  /// For the samples of a side in turns; the least where the budget is short.
  static constexpr double least_in_turns_s = 0.05;
  double turns_sample_s_ = 0.1;
  std::vector<Measurements> measured_;
  std::vector<Measurements> aside_;        ///< launches that others displaced, by side
  std::set<std::string> shown_displaced_;  ///< rows whose launches in measured_ are of these
  std::map<std::string, double> launch_s_;
};

}  // namespace ratchet::gate
