// The facts of one row before a verdict: its launches on both sides, the code that it executes, and
// what happened to it. The rules (verdicts.h) read them and do not change them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/store.h"
#include "perf/gate/rule/rule.h"

namespace ratchet::gate {

/// Why a row has no figures.
struct Failure {
  std::string reason;
  bool unverified = false;
  bool skipped = false;  ///< on purpose, by every side
  bool of_base = false;  ///< of the first of two sides; the other may fail, too
};

struct Facts {
  RowId name;
  std::size_t baseline_launches = 0;
  std::size_t launches = 0;
  /// Medians of the launches of a side; 0 if there are none.
  struct Figures {
    double throughput = 0;                      ///< units per second
    double call_s = 0;                          ///< time of a call by the row's clock
    std::optional<stats::TwoModes> modes = {};  ///< of the launches' throughputs
    double gaps_s = 0;  ///< of a call, not in its time: between its kernels on a GPU; 0 if unknown

    /// Of the call's span.
    double gap_share() const { return gaps_s > 0 ? gaps_s / (gaps_s + call_s) : 0; }
  };
  Figures before = {}, now = {};
  Clock clock = Clock::unknown;  ///< of both sides
  std::string basis = {};        ///< Row::basis of both sides
  std::string unit = {};         ///< of throughput, as the program names it; empty: unit_of()
  double tolerance = 0;          ///< relative
  double pair_s = 0;             ///< wall time of a pair; 0 if there were none
  std::string code_hash;         ///< of the stage's device code; empty where unknown
  std::string work;              ///< digest of what the row executes; empty where unknown

  /// The verdict of a row that cannot be compared, and the reason.
  struct Obstacle {
    Verdict verdict = Verdict::failed;
    Reason reason = {};
  };
  std::optional<Obstacle> obstacle = {};
  Reason changed = {};  ///< why the figures of the two sides are not comparable
  std::optional<MeasuresNothing> nothing = {};  ///< if its current time is that of an empty loop
  bool nothing_before = false;                  ///< the other side's time is the same

  bool exact = false;   ///< no time, and the same in every launch of each side
  bool paired = false;  ///< both sides were measured here and now
  /// From the throughputs of both sides, at one interim analysis; empty if these are not
  /// comparable.
  std::optional<Decision> by_launches = {};
  /// The same from the CPU time of all threads, of a pair of rows of several.
  std::optional<Decision> by_cpu_time = {};
  /// The same relative to the speed of the control workload, if both sides ran it.
  struct ByReference {
    Decision decision;
    double machine_ratio = 1;  ///< of that speed, current over stored
  };
  std::optional<ByReference> by_reference = {};
  /// The decision by pairs of other layouts of both programs, of a row that is slower or faster as
  /// built, or seems so.
  struct InLayouts {
    Decision decision;
    std::size_t layouts = 0;  ///< of each program
  };
  std::optional<InLayouts> in_layouts = {};
  /// The possible shift between the stored occasions and this one, if figures are stored.
  struct StoredOccasions {
    std::optional<stats::OccasionShift> shift = {};  ///< empty if it cannot be estimated
    stats::Analysis analysis = {};  ///< with the error probabilities of its interval
  };
  std::optional<StoredOccasions> occasions = {};
  std::optional<Decision> against_itself = {};  ///< if this machine has no baseline

  bool same_work = false;     ///< identical work on both sides
  bool not_followed = false;  ///< of a third-party program: what it executes is not known
  bool same_by_time = false;  ///< identical work, which --by-time judges like any other
  bool same_code = false;     ///< its device code is the same; its launches may differ
  std::optional<OtherDeviceWork> launched = {};  ///< if its GPU work differs
  /// Whether digests prove that it executes other code than its baseline.
  enum class Executes { unknown, other, other_program };
  Executes executes = Executes::unknown;

  std::size_t contended = 0;    ///< launches (with two sides: pairs) that were contended
  bool only_contended = false;  ///< all its launches were contended
  /// Of a third-party row of identical work whose program differs: from the least to the greatest
  /// ratio of its pairs.
  std::optional<stats::Bounds> in_other_program = {};
  std::optional<Layout> layout = {};  ///< if it differs from other rows of identical work
  std::optional<Waits> waits = {};    ///< if it spends its time off the CPU, or is kept from it
  std::optional<OtherClock> other_clock = {};  ///< if the baseline was accepted by another
  std::optional<Namesakes> namesakes = {};     ///< rows of its name in one file
  std::optional<AcceptedBy> accepted = {};     ///< if a commit accepts its verdict
  std::vector<AtLimit> limits = {};            ///< absolute ones, on the current figures
  std::string against = {};                    ///< commit of the build it was compared with

  // Not used by the rules.
  /// For a row that is slower or faster, if both builds are available: differences of the executed
  /// code, most important first.
  std::vector<std::string> reasons = {};
  /// For such a row, the beginning of the diff of the disassembly; may be empty.
  std::vector<std::string> listing = {};
};

/// Decides a row whose size or count is the same in every launch of each side, three at least, by
/// that alone (47). False for any other row.
bool decide_if_exact(Facts& facts, const Row& before, const Row& now);

/// A row that is not there to be compared.
Facts absent(const RowId& name, Verdict verdict, Reason reason);

/// Of a row with launches on two sides, at one interim analysis of the plan of this comparison.
Facts facts_of(const Row& before, const Row& now, Comparison comparison, double tolerance,
               const stats::Analysis& analysis);

/// Why a row of a third-party program measures nothing: an iteration takes the time of an empty
/// loop, or the whole is shorter than the clock resolves. Empty if it measures something, and for
/// ratchet's own rows.
std::optional<MeasuresNothing> measures_nothing(const Row& row);

/// For a third-party row: its CPU time decides but is less than half of its wall time, or it waits
/// and wall time decides.
std::optional<Waits> waits_of(const Row& row);

Facts::Figures figures_of(const Row& row);
/// The figures of `now`, and the clock and basis that they are by.
void take_figures(Facts& facts, const Row& now);

/// The launches of each occasion that a stored row holds, oldest first.
std::vector<std::vector<Launch>> occasions_of(const Row& row);

/// How much occasions of this row differ: by `controls` (ln of current over stored throughput of
/// rows of identical work), otherwise by the stored occasions of the row.
std::optional<stats::OccasionShift> shift_between_occasions(const Row& before,
                                                            const std::vector<double>& controls);

/// The pairs that two sides hold of one row: launch i of one with launch i of the other. Without
/// the control workload's part where a launch lacks it, or its version differs.
Pairs pairs_of(const Row& before, const Row& now);

/// Those by the CPU time of all threads; none but of interleaved rows of several threads.
Pairs pairs_of_cpu_time(const Row& before, const Row& now);

/// What a GPU was given to do, where it differs; nothing where it is the same, or a side did not
/// see it.
std::optional<OtherDeviceWork> other_device_work(const Row& before, const Row& now);

/// Whether a row executes what the other side executed, and can be compared.
bool is_identical_work(const Facts& facts);

/// Whether the row's own launches exclude this ratio.
bool is_shown(const Decision& decision, double other_ratio);

/// By device, how far each row of identical work deviates from the others beyond their scatter and
/// that of its own launches: the same code at another place in memory, or a passing neighbour. Rows
/// of an identical program have no such place. Of a row in another program (in_other_program) all
/// pairs must deviate by more than the tolerance, since three have no interval.
void find_layouts(std::vector<Facts>& rows);

// The facts of rows whose other side is stored: of measured rows, and of failed, missing and
// unavailable ones.

/// What this build executes, as known without a clock.
struct Executed {
  std::map<std::string, std::string> code;  ///< by stage, hashes of the device code
  std::map<RowId, std::string> work;        ///< by row, digests of everything in the timed act
  /// Rows whose recorded GPU work differs from the baseline's, though their digests are the same.
  std::set<RowId> launched_otherwise;
  nlohmann::json context;  ///< the program's machine and build; null where unknown
};

/// The rows of identical work with their baseline; `here`: only baselines of this fingerprint, or
/// all while it is not known.
std::set<RowId> identical_rows(const std::set<RowId>& rows, const Executed& executed,
                               const BaselineStore& store, const Fingerprint* here);

/// The rows that are known to execute something else than their baseline's build did.
std::set<RowId> differing_rows(const std::set<RowId>& rows, const Executed& executed,
                               const BaselineStore& store, const Fingerprint& here);

/// The stored digest of what a row's baseline executed; empty where there is none.
std::string stored_work(const RowId& row, const BaselineStore& store, const Fingerprint& here);

/// Sets the digests of what the rows executed, and their units, where known.
void state_work(std::vector<Facts>& rows, const std::map<RowId, std::string>& digests);
void state_units(std::vector<Facts>& rows, const std::map<RowId, std::string>& units);

/// Adds the failed, unverified and skipped rows.
void add_failures(std::vector<Facts>& rows, const std::map<RowId, Failure>& failures);

/// The rows that have a baseline under this fingerprint.
std::set<RowId> compared_rows(const std::set<RowId>& rows, const BaselineStore& store,
                              const Fingerprint& here);

/// By device, how far measured rows of identical work moved from their baselines: ln of the ratio
/// of medians.
std::map<Device, std::vector<double>> controls_of(const std::set<RowId>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store);

/// What a measured row is compared with when its other side is stored.
struct StoredSide {
  const BaselineStore& store;
  Fingerprint here;         ///< of this machine and build
  stats::Analysis against;  ///< for rows with a baseline
  stats::Analysis itself;   ///< for rows without one, which are compared with themselves
  /// ln(now / stored) of rows of identical work, by device.
  std::map<Device, std::vector<double>> controls = {};
  std::map<RowId, double> tolerances = {};  ///< by row; they override those of baselines
};

/// The facts of one measured row. With a baseline it is compared with that. Without one it is new,
/// or, where nothing of this fingerprint is stored for the device, compared with itself.
Facts stored_facts(const Row& now, const StoredSide& stored, const Executed& executed);

/// The facts of a row of identical work with its baseline that this run did not time.
Facts untimed_facts(const RowId& row, const StoredSide& stored, const Executed& executed);

/// Adds rows without a measurement. These are baseline rows of this machine that were not measured,
/// and rows with baselines of other machines only. Stages that cannot run here are `unavailable`,
/// with the reason. A stage with a baseline here that can no longer run is missing. `covered`: the
/// names that the run's filter selects; other stored rows are not missing.
void add_absent(std::vector<Facts>& rows, const BaselineStore& store, const Fingerprint& here,
                const std::map<RowId, std::string>& unavailable, const std::set<RowId>& covered);

}  // namespace ratchet::gate
