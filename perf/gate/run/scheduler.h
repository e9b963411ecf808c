// Decides what is launched next, and for how long, within the time budget of a run.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/launcher.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/run_options.h"

namespace ratchet::gate {

/// How long measuring still takes after some of the rounds.
struct RoundsLeft {
  double least_s, most_s;
};

/// What is known of them, in seconds.
struct RoundsToCome {
  std::size_t planned, needed;  ///< `needed`: those of them that a short budget does not prevent
  double fastest_s;             ///< the fastest round so far; 0 where the next may well be faster
  double slowest_s;
  double budget_s, with_aside_s;  ///< Budget::left(), left_of_all()
};

/// The least is the rounds that the budget holds, each as fast as the fastest. The most is the
/// budget, since rows that stay undecided get more launches, and the round in which it ends; or the
/// rounds that are made in any case.
RoundsLeft rounds_left(const RoundsToCome& rounds);

/// What follows the rounds of Scheduler::measure().
enum class Afterwards { more_launches, nothing };

class Scheduler {
 public:
  /// `sides`: their number.
  Scheduler(std::size_t sides, const RunOptions& options, Launcher& launcher, Ledger& ledger,
            const Budget& budget, Progress& progress);

  /// Makes `count` rounds over the rows; a round launches each row once on each side. Every other
  /// round goes backwards, so that all rows share a drift of the machine. Rows that fail are
  /// dropped. Stops between rounds when the budget does not hold another, but not before `least`
  /// rounds. Contended launches (with two sides, pairs) are set aside and repeated, in at most as
  /// many further rounds.
  void measure(const std::set<RowId>& rows, std::size_t count, std::size_t least = 0,
               Afterwards afterwards = Afterwards::more_launches);
  /// The same for one row, without progress, and never beyond the budget.
  void measure_row(const RowId& row, std::size_t count);
  /// Like measure_row(), for several rows that run concurrently, with a number of pairs for each.
  void measure_concurrently(const std::map<RowId, std::size_t>& pairs);
  /// Like measure(), with samples of the given length, within a share of the budget but at least
  /// one round: for rows whose verdict is known.
  void measure_short(const std::set<RowId>& rows, std::size_t count, double sample_s,
                     double share_of_budget);
  /// Sets the sample time of pairs so that `pairs` pairs of each row fit into the budget.
  void plan_pairs(const std::set<RowId>& rows, std::size_t pairs);

 private:
  void plan_samples(std::size_t processes, std::size_t launches);
  double seconds_of(const std::vector<RowId>& rows) const;
  struct FirstRound {
    double start_s, left_s;  ///< when it began; the budget then
    std::size_t least;       ///< rounds that are made in any case
    bool only;               ///< nothing follows it
    double last_s, slowest_s = 0;
  };
  void foretell(FirstRound& round, std::size_t done, std::size_t of);
  std::string unheld(std::size_t least) const;
  void retake(const std::map<RowId, std::size_t>& wanted, std::size_t rounds);

  std::size_t sides_;
  const RunOptions& options_;
  Launcher& launcher_;
  Ledger& ledger_;
  const Budget& budget_;
  Progress& progress_;
  std::size_t rounds_ = 0;  ///< made
  bool foretold_ = false;   ///< that the budget is shorter than what measure() does at least
};

}  // namespace ratchet::gate
