// A verdict for every row that anyone knows of: measured, stored, failed, missing or unavailable.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/support/error.h"
#include "perf/baseline/store.h"
#include "perf/gate/rule/rule.h"

namespace ratchet::gate {

struct RowReport {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::string reason;                ///< a short clause, may be empty
  std::optional<Decision> decision;  ///< of compared rows; of uncompared ones against themselves
  std::size_t baseline_launches = 0;
  std::size_t launches = 0;
  double throughput =
      0;  ///< median of this session's launches, units per second; 0 if there are none
  double tolerance = 0;              ///< relative
  std::vector<std::string> remarks;  ///< what else is known: "identical machine code"
  std::string code_hash;             ///< of the stage's device code; empty where unknown
};

/// What one session found, free of how it was measured.
struct Findings {
  Measurements measured;
  struct Failure {
    std::string reason;
    bool unverified = false;
  };
  std::map<std::string, Failure> failures;         ///< rows without figures
  std::map<std::string, std::string> unavailable;  ///< stages that cannot run here, with the reason
  std::map<std::string, std::string> code;  ///< by stage: hash of its device code, where known
};

/// The measured rows that have a baseline under this fingerprint: those the rule compares, and by
/// whose number the false-alarm rate is divided.
std::set<std::string> compared_rows(const Measurements& measured, const Store& store);

/// Every row, worst first (by verdict, then by ratio). `claims`: number of rows compared in this
/// run, the same at every look. `covered`: the names, measured or stored, that the run's filter
/// covers; stored rows outside it are not missed.
std::vector<RowReport> judge(const Findings& findings, const Store& store, std::size_t claims,
                             const std::set<std::string>& covered);

/// What makes the figures of a row not comparable: another amount of work a call, or launches
/// summed up by another quantile.
std::optional<std::string> changed_between(const Row& before, const Row& now);

/// Of a row whose device code is the same on both sides: says so, and turns a difference in time
/// into doubt.
void doubt_same_code(RowReport& report);

/// By verdict, then by ratio, then by name.
void sort_worst_first(std::vector<RowReport>& reports);

/// 1 if a row is slower; else 2 if one is failed, unverified, missing, changed or new; else 3 if
/// one is undecided, or under `strict` uncompared; 77 if no row was measured or failed; else 0.
ExitCode exit_code(const std::vector<RowReport>& reports, bool strict);

}  // namespace ratchet::gate
