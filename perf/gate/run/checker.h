// Checks of results: once for each stage, and in situ for rows in their timed configuration. The
// lines of checks that passed are the proof that launches get.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/run/ledger.h"
#include "perf/gate/run/run_options.h"
#include "perf/support/files.h"

namespace ratchet::gate {

class Checker {
 public:
  /// `verify_s`: RunOptions.
  Checker(const std::vector<Side>& sides, double verify_s, Ledger& ledger, Budget& budget,
          const Progress& progress);

  /// Checks the stage of every row of every side, in a process for each stage; rows of stages that
  /// fail are not timed. Reports it, unless an earlier check of the same rows did.
  void check(bool say = true);
  /// In-situ check of these rows on one side: a fifth of the budget for all of them and `verify_s`
  /// for each. No check begins after the larger of both. Rows with wrong results fail. Rows that
  /// take longer or were not reached stay unchecked, which their launches state.
  void verify_in_situ(const std::set<RowId>& rows, std::size_t side);
  /// Copies the checks of an earlier run of the same programs.
  void trust(const Checker& earlier);

  /// The file of the lines of passed checks of a side, for its launches.
  std::filesystem::path proofs(std::size_t side) const;

 private:
  void check_stages(const std::vector<std::string>& stages);
  /// Rows of one stage on one side.
  struct InSituCheck {
    std::size_t side = 0;
    std::vector<RowId> rows;
  };
  std::size_t verify_in_situ(const std::vector<InSituCheck>& checks, double seconds, double until);
  void take(const InSituCheck& check, const std::map<RowId, CheckOutcome>& outcomes);
  void add_proof(std::size_t side, const std::string& line) const;

  const std::vector<Side>& sides_;
  double verify_s_;
  Ledger& ledger_;
  Budget& budget_;
  const Progress& progress_;
  ScratchFolder scratch_;
};

}  // namespace ratchet::gate
