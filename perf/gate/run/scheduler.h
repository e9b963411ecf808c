// What is launched next, and for how long, within the time budget of a session.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/launcher.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/session_options.h"

namespace ratchet::gate {

class Scheduler {
 public:
  /// `sides`: how many.
  Scheduler(std::size_t sides, const SessionOptions& options, Launcher& launcher, Ledger& ledger,
            const Budget& budget, Progress& progress);

  /// `count` rounds over the given rows; a round launches each row once a side. One side: rows
  /// forwards and backwards in turn, so that a drift of the machine is shared by all. Rows that
  /// fail are dropped. Stops between rounds when the budget is over, but not before `least` rounds
  /// are made. Launches that others contended are put aside, of two sides the whole pair, and made
  /// again, in as many rounds again at most.
  void measure(const std::set<std::string>& rows, std::size_t count, std::size_t least = 0);
  /// The same of one row, without a word, and never beyond the budget.
  void measure_row(const std::string& row, std::size_t count);
  /// As measure_row(), of several rows at once that go beside others, so many pairs each.
  void measure_concurrently(const std::map<std::string, std::size_t>& pairs);
  /// As measure(), with samples of that length, for at most that share of the budget and while it
  /// lasts, but one round in any case: for rows about which nothing is left to decide.
  void measure_short(const std::set<std::string>& rows, std::size_t count, double sample_s,
                     double share_of_budget);
  /// Sets how long the samples of pairs are, so that `pairs` pairs of each of these rows fit well
  /// into the budget.
  void plan_pairs(const std::set<std::string>& rows, std::size_t pairs);

 private:
  void plan_samples(std::size_t rows, std::size_t launches);
  void retake(const std::map<std::string, std::size_t>& wanted, std::size_t rounds);

  std::size_t sides_;
  const SessionOptions& options_;
  Launcher& launcher_;
  Ledger& ledger_;
  const Budget& budget_;
  Progress& progress_;
  std::size_t rounds_ = 0;  ///< made
};

}  // namespace ratchet::gate
