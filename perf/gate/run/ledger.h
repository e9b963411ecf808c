// The results of a session: the launches of each row and side, the contended launches apart from
// them, and the failures of rows.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/rule/facts.h"
#include "perf/gate/run/session_options.h"

namespace ratchet::gate {

class Ledger {
 public:
  /// `several_gpus`: launches may come from several devices, which must be alike.
  Ledger(const std::vector<Side>& sides, std::set<std::string> rows, bool several_gpus,
         const Progress& progress);

  /// Keeps one launch of a row for each side, which took `seconds` together, or fails the row; with
  /// two sides both launches or none. A pair is set aside as a whole when either side was
  /// contended. `round`: counted from 1, for the reason. Throws `Error` where the machine has
  /// changed.
  void keep(const std::string& row, const std::vector<LaunchOutcome>& by_side, double seconds,
            std::size_t round);
  /// Drops the launches of a row and reports the reason, which begins with the side's name where
  /// there are two sides.
  void fail(const std::string& row, std::size_t side, const std::string& reason,
            bool unverified = false);
  /// Copies the failures of an earlier session.
  void take_failures(const Ledger& earlier) { failures_ = earlier.failures_; }
  /// Rows with only contended launches show these until they have another.
  void show_contended(const std::set<std::string>& rows);

  /// Rows that have not failed.
  std::set<std::string> alive() const;
  bool failed(const std::string& row) const { return failures_.count(row) > 0; }
  const std::map<std::string, Failure>& failures() const { return failures_; }
  /// The measurements of a side; with two sides, launch i of one is paired with launch i of the
  /// other.
  const Measurements& measured(std::size_t side = 0) const { return measured_.at(side); }
  /// The number of contended launches of a row (with two sides, pairs), which were set aside.
  std::size_t contended(const std::string& row) const;
  /// The number of launches of a row that were not contended.
  std::size_t clean_launches(const std::string& row) const;
  /// Seconds of the row's last launch, with two sides of its last pair; 0 without launches.
  double launch_s(const std::string& row) const;
  /// Seconds of a call in the row's first launch; 0 without launches.
  double call_s(const std::string& row) const;

 private:
  bool fit(const std::string& row, const std::vector<LaunchOutcome>& by_side, std::size_t round);
  void drop(const std::string& row, const Failure& failure);
  void take_context(std::size_t side, const nlohmann::json& context);

  std::vector<std::string> sides_;  ///< names
  std::set<std::string> rows_;
  bool several_gpus_;
  const Progress& progress_;
  std::vector<Measurements> measured_, aside_;  ///< by side
  std::vector<nlohmann::json> taken_;           ///< by side, the context of the launch before
  std::set<std::string> shown_contended_;       ///< rows whose launches in measured_ are contended
  std::map<std::string, double> launch_s_;
  std::map<std::string, Failure> failures_;
};

}  // namespace ratchet::gate
