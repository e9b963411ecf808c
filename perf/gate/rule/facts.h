// What is known of one row before it is judged: its launches on two sides, what it executes, and
// what happened to it. The rules (verdicts.h) read it and change nothing of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/rule/rule.h"

namespace ratchet::gate {

/// Why a row has no figures.
struct Failure {
  std::string reason;
  bool unverified = false;
  bool skipped = false;  ///< on purpose, by every side
};

struct Facts {
  RowId name;
  std::size_t baseline_launches = 0;
  std::size_t launches = 0;
  double throughput = 0;  ///< median of the launches now, units per second; 0 if there are none
  double tolerance = 0;   ///< relative
  double pair_s = 0;      ///< what a pair of it takes; 0 where there were none
  std::string code_hash;  ///< of the stage's device code; empty where unknown
  std::string work;       ///< digest of what the row executes; empty where unknown

  /// Of a row that is not there to be compared: what it is then, and why.
  struct Obstacle {
    Verdict verdict = Verdict::failed;
    Reason reason = {};
  };
  std::optional<Obstacle> obstacle = {};
  Reason changed = {};  ///< what makes the figures of the two sides not comparable; else none
  std::optional<MeasuresNothing> nothing = {};  ///< where its time now is that of nothing
  bool nothing_before = false;                  ///< and that of the other side, too, and as long

  bool paired = false;  ///< both sides were measured here and now
  /// By the throughputs of both sides, at one interim analysis; nothing where these are not
  /// comparable.
  std::optional<Decision> by_launches = {};
  /// The same over the speed of the control workload, where both sides ran it.
  struct ByReference {
    Decision decision;
    double machine_ratio = 1;  ///< of that speed, now over then
  };
  std::optional<ByReference> by_reference = {};
  /// What may lie between the session that is stored and this one, where figures are stored.
  struct StoredOccasions {
    std::optional<stats::OccasionShift> shift = {};  ///< nothing where nothing tells it
    stats::Analysis analysis = {};                   ///< whose errors its reach may have
  };
  std::optional<StoredOccasions> occasions = {};
  std::optional<Decision> against_itself = {};  ///< where nothing of this machine is stored

  bool same_work = false;  ///< it executes what the other side executed, and was given as much
  bool same_code = false;  ///< its device code is the same, though maybe not its launches
  std::optional<OtherDeviceWork> launched = {};  ///< where a GPU was given something else to do
  /// By digests alone it is known to execute something else than its baseline did.
  enum class Executes { unknown, other, other_program };
  Executes executes = Executes::unknown;

  std::size_t contended = 0;                ///< launches, of two sides pairs, that others contended
  bool only_contended = false;              ///< and it has no others
  std::optional<double> layout = {};        ///< how far it ran off other rows of identical work
  std::optional<Waits> waits = {};          ///< where its throughput counts CPU time alone
  std::optional<Namesakes> namesakes = {};  ///< rows of its name in one file
  std::string against = {};                 ///< commit of the build it was compared with

  // Nothing is judged by these.
  /// Of a row that is slower or faster, where both builds are at hand: what differs in what they
  /// execute, worst first.
  std::vector<std::string> reasons = {};
  /// Of such a row, the beginning of the difference of their disassembly; may be empty.
  std::vector<std::string> listing = {};
};

/// A row that is not there to be compared.
Facts absent(const std::string& name, Verdict verdict, Reason reason);

/// Of a row with launches on two sides, at one interim analysis of the plan of this comparison.
Facts facts_of(const Row& before, const Row& now, Comparison comparison, double tolerance,
               const stats::Analysis& analysis);

/// That an iteration of its loop takes the time of an empty one, or all of it is as short as a
/// clock can tell: of rows of somebody else's program. Nothing where it measures something, and for
/// rows of ratchet's own.
std::optional<MeasuresNothing> measures_nothing(const Row& row);

/// That a row of somebody else's program waits, and its throughput counts CPU time alone.
std::optional<Waits> misses_its_waits(const Row& row);

/// The launches of each session that a stored row holds, oldest first.
std::vector<std::vector<Launch>> occasions_of(const Row& row);

/// How much occasions of this row differ: by `controls` (ln of current over stored throughput of
/// rows of identical work), otherwise by the stored occasions of the row.
std::optional<stats::OccasionShift> shift_between_occasions(const Row& before,
                                                            const std::vector<double>& controls);

/// The pairs that two sides hold of one row: launch i of one with launch i of the other. Without
/// the control workload's part where a launch lacks it, or its version differs.
Pairs pairs_of(const Row& before, const Row& now);

/// What a GPU was given to do, where it differs; nothing where it is the same, or a side did not
/// see it.
std::optional<OtherDeviceWork> other_device_work(const Row& before, const Row& now);

/// Whether a row executes what the other side executed, and can be compared.
bool is_identical_work(const Facts& facts);

/// By device, how far each row of identical work ran off the others of it, beyond their scatter:
/// the same code at another place in memory, or a neighbour of the moment.
void find_layouts(std::vector<Facts>& rows);

}  // namespace ratchet::gate
