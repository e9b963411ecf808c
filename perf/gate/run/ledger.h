// The results of a run: the launches of each row and side, the contended launches apart from
// them, and the failures of rows.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/gate/run/run_options.h"

namespace ratchet::gate {

class Ledger {
 public:
  /// `several_gpus`: launches may come from several devices, which must be alike.
  Ledger(const std::vector<Side>& sides, std::set<RowId> rows, bool several_gpus,
         const Progress& progress);

  /// Keeps one launch of a row for each side, which took `seconds` together, or fails the row; with
  /// two sides both launches or none. A pair is set aside as a whole when either side was
  /// contended. `round`: counted from 1, for the reason. Throws `Error` where the machine has
  /// changed.
  void keep(const RowId& row, const std::vector<LaunchOutcome>& by_side, double seconds,
            std::size_t round);
  /// Drops the launches of a row and reports the reason, which begins with the side's name where
  /// there are two sides.
  void fail(const RowId& row, std::size_t side, const std::string& reason, bool unverified = false);
  /// Copies the failures of an earlier run.
  void take_failures(const Ledger& earlier) { failures_ = earlier.failures_; }
  /// Rows with only contended launches show these until they have another.
  void show_contended(const std::set<RowId>& rows);

  /// Rows that have not failed.
  std::set<RowId> alive() const;
  bool failed(const RowId& row) const { return failures_.count(row) > 0; }
  const std::map<RowId, Failure>& failures() const { return failures_; }
  /// The measurements of a side; with two sides, launch i of one is paired with launch i of the
  /// other.
  const Measurements& measured(std::size_t side = 0) const { return measured_.at(side); }
  /// The number of contended launches of a row (with two sides, pairs), which were set aside.
  std::size_t contended(const RowId& row) const;
  /// The number of launches of a row that were not contended.
  std::size_t clean_launches(const RowId& row) const;
  /// Seconds of the row's last launch, with two sides of its last pair; 0 without launches.
  double launch_s(const RowId& row) const;
  /// Seconds of its fastest launch, or pair; 0 where it had less than two: the first is often slow.
  double fastest_s(const RowId& row) const;
  /// Seconds of a call in the row's first launch; 0 without launches.
  double call_s(const RowId& row) const;

 private:
  bool fit(const RowId& row, const std::vector<LaunchOutcome>& by_side, std::size_t round);
  void drop(const RowId& row, const Failure& failure);
  void take_context(std::size_t side, const nlohmann::json& context);

  std::vector<std::string> sides_;  ///< names
  std::set<RowId> rows_;
  bool several_gpus_;
  const Progress& progress_;
  std::vector<Measurements> measured_, aside_;  ///< by side
  std::vector<nlohmann::json> taken_;           ///< by side, the context of the launch before
  std::set<RowId> shown_contended_;             ///< rows whose launches in measured_ are contended
  std::map<RowId, double> launch_s_, fastest_s_;
  std::map<RowId, Failure> failures_;
};

}  // namespace ratchet::gate
