// The launches of one row on two sides, held against each other: launches in, verdict out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/rule/rule.h"

namespace ratchet::gate {

/// What a run says of one row.
struct RowReport {
  std::string name;
  Verdict verdict = Verdict::undecided;
  std::string reason;                ///< a short clause, may be empty
  std::optional<Decision> decision;  ///< of compared rows; of uncompared ones against themselves
  std::size_t baseline_launches = 0;
  std::size_t launches = 0;
  double throughput = 0;  ///< median of the launches now, units per second; 0 if there are none
  double tolerance = 0;   ///< relative
  std::vector<std::string> remarks;  ///< what else is known: "identical machine code"
  std::string code_hash;             ///< of the stage's device code; empty where unknown
  std::string work;                  ///< digest of what the row executes; empty where unknown
  bool identical_work = false;       ///< and it is what the baseline's build executed
  double pair_s = 0;                 ///< what a pair of it takes; 0 where there were none
  bool settled = false;              ///< undecided, but not for want of launches
  bool paired = false;               ///< both sides were measured here and now
  /// Of a row that is slower or faster: what differs in what it executes, worst first.
  std::vector<std::string> reasons;
  /// Of such a row, the beginning of the difference of its disassembly, a line each; may be empty.
  std::vector<std::string> listing;
};

/// Judges a row at one look of the plan of this comparison: changed, or decided by its launches.
/// Stored launches whose reference workload is the same are judged by both views (agreed()).
RowReport compare_rows(const Row& before, const Row& now, Comparison comparison, double tolerance,
                       const stats::Look& look);

/// Why a row of somebody else's program measures nothing: a turn of its loop takes the time of an
/// empty one, or all of it is as short as a clock can tell. Empty where it measures something, and for rows of ratchet's own.
std::string measures_nothing(const Row& row);

/// What to say of a row of somebody else's program that waits, and whose throughput counts CPU time
/// alone; empty where it does not.
std::string misses_its_waits(const Row& row);

/// The launches of each session that a stored row holds, oldest first.
std::vector<std::vector<Launch>> sessions_of(const Row& row);

/// Widens what the launches say of a row by what may lie between sessions: as `controls` tell, ln
/// of now over stored of rows of identical work, or else the stored sessions of the row.
void judge_across_sessions(RowReport& report, const Row& before,
                           const std::vector<double>& controls, const stats::Look& look);

/// The pairs that two sides hold of one row: launch i of one with launch i of the other. Without
/// the reference workload's part where a launch lacks it, or its version differs.
Pairs pairs_of(const Row& before, const Row& now);

/// What a GPU was given to do on both sides, in as many words as differ ("1056 blocks, 528
/// before"); empty where it is the same, or a side did not see it.
std::string other_device_work(const Row& before, const Row& now);

/// Gives that as the reason, where a row is slower or faster.
void say_what_it_launches(RowReport& report, const std::string& launched);

/// Of a row that executes what its baseline executed: the same, whatever the clock says.
void settle_identical_work(RowReport& report);

/// Of a row of which others displaced `displaced` launches, with `shown` by these
/// alone: then it is undecided; and a row that is undecided anyhow says that this is why.
void doubt_displaced(RowReport& report, std::size_t displaced, bool shown);

/// Of a row whose device code is the same on both sides: says so, and turns a difference in time
/// into doubt.
void doubt_same_code(RowReport& report);

}  // namespace ratchet::gate
