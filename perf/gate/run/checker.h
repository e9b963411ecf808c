// Whether what is timed computes what it should: each stage once, and rows at the very points that
// are timed. What passed is proof for the launches.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/ledger.h"
#include "perf/gate/run/session_options.h"
#include "perf/support/files.h"

namespace ratchet::gate {

class Checker {
 public:
  /// `verify_s`: SessionOptions.
  Checker(const std::vector<Side>& sides, double verify_s, Ledger& ledger, Budget& budget,
          const Progress& progress);

  /// Checks the stage of every row of every side in a process of its own; rows of stages that fail
  /// are not timed.
  void check();
  /// Judges what these rows compute at the very points that are timed, on one side, in the seconds
  /// that the budget allows: a fifth of it for all of them, by `verify_s` a row at most; when both
  /// are over, no further one is begun. Rows that are wrong fail; those that would take longer, or
  /// were not reached, stay unchecked, and their launches say so.
  void verify_in_situ(const std::set<std::string>& rows, std::size_t side);
  /// Takes over the checks of an earlier session of the same programs.
  void trust(const Checker& earlier);

  /// What has passed on a side: a file of check lines, for its launches.
  std::filesystem::path proofs(std::size_t side) const;

 private:
  void check_stages(const std::vector<std::string>& stages);
  /// Rows of one stage, of one side.
  struct InSituCheck {
    std::size_t side = 0;
    std::vector<std::string> rows;
  };
  std::size_t verify_in_situ(const std::vector<InSituCheck>& checks, double seconds, double until);
  void take(const InSituCheck& check, const std::map<std::string, CheckOutcome>& outcomes);
  void add_proof(std::size_t side, const std::string& line) const;

  const std::vector<Side>& sides_;
  double verify_s_;
  Ledger& ledger_;
  Budget& budget_;
  const Progress& progress_;
  ScratchFolder scratch_;
};

}  // namespace ratchet::gate
