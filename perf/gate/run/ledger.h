// What a session keeps: the launches of each row and side, those that others contended apart from
// them, and why rows have failed.
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
  /// Of these rows. `several_gpus`: launches may come from one of several devices, which have to be
  /// alike.
  Ledger(const std::vector<Side>& sides, std::set<std::string> rows, bool several_gpus,
         const Progress& progress);

  /// Takes over one launch of a row a side, all of which took `seconds`, or fails the row; of two
  /// sides both or none. A pair is put aside as a whole, whichever of its sides was contended.
  /// `round`: counted from 1, for the reason. Throws `Error` where the machine has changed.
  void keep(const std::string& row, const std::vector<LaunchOutcome>& by_side, double seconds,
            std::size_t round);
  /// Drops what is kept of a row, and says why. The reason begins with the side's name where there
  /// are two.
  void fail(const std::string& row, std::size_t side, const std::string& reason,
            bool unverified = false);
  /// Takes over the failures of an earlier session.
  void take_failures(const Ledger& earlier) { failures_ = earlier.failures_; }
  /// What has no launch but contended ones is shown by these, until it has another.
  void show_contended(const std::set<std::string>& rows);

  /// Rows that have not failed.
  std::set<std::string> alive() const;
  bool failed(const std::string& row) const { return failures_.count(row) > 0; }
  const std::map<std::string, Failure>& failures() const { return failures_; }
  /// What a side measured; of two sides, launch i of one belongs to launch i of the other.
  const Measurements& measured(std::size_t side = 0) const { return measured_.at(side); }
  /// How many launches of a row, of two sides pairs, were put aside because others held the CPU.
  /// A row that has no others is shown by them: then each of its launches is contended().
  std::size_t contended(const std::string& row) const;
  /// And how many are there that nobody contended.
  std::size_t clean_launches(const std::string& row) const;
  /// What the row's last launch, of two sides its last pair, took, seconds; 0: it had none.
  double launch_s(const std::string& row) const;
  /// How long a call of it took in its first launch, seconds; 0: it had none.
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
  std::set<std::string> shown_contended_;       ///< rows whose launches in measured_ are of aside_
  std::map<std::string, double> launch_s_;
  std::map<std::string, Failure> failures_;
};

}  // namespace ratchet::gate
