// A verdict for every row that anyone knows of: measured, stored, failed, missing or unavailable.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"
#include "perf/gate/rule/compare_rows.h"
#include "perf/support/error.h"

namespace ratchet::gate {

/// Why a row has no figures.
struct Failure {
  std::string reason;
  bool unverified = false;
  bool skipped = false;  ///< on purpose, by every side
};

/// What is known, without a clock, of what this build executes.
struct Executed {
  std::map<std::string, std::string> code;  ///< by stage, hashes of the device code
  std::map<std::string, std::string> work;  ///< by row, digests of everything in the timed act
  /// Rows whose GPU was given other work than its records tell of the baseline's, though their
  /// digests are the same.
  std::set<std::string> launched_otherwise;
  nlohmann::json context;  ///< what the program says of machine and build; null where nothing
};

/// The rows that execute what their baseline's build executed; `here`: of baselines of this
/// fingerprint, or of any while it is not known.
std::set<std::string> identical_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint* here);

/// The rows of which it is known that they execute something else than their baseline's build did.
std::set<std::string> differing_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint& here);

/// The digest of what a row's baseline executed; empty where it is not stored.
std::string stored_work(const std::string& row, const BaselineStore& store,
                        const Fingerprint& here);

/// Gives reports the digests of what their rows executed, where known.
void state_work(std::vector<RowReport>& reports, const std::map<std::string, std::string>& digests);

/// How fast rows of identical work ran, beside what is stored of them: what differs is the machine,
/// not the code. Empty where there is no such row, or they ran as stored.
std::string machine_note(const std::vector<RowReport>& reports);

/// Remarks on rows of identical work that ran faster or slower than the other rows of identical
/// work of their device did: the same code at another place in memory, or a neighbour of the
/// moment.
void remark_on_layout(std::vector<RowReport>& reports);

/// A row without figures.
RowReport bare_report(const std::string& name, Verdict verdict, const std::string& reason);

/// Failed and unverified rows.
void add_failures(std::vector<RowReport>& reports, const std::map<std::string, Failure>& failures);

/// The rows that have a baseline under this fingerprint.
std::set<std::string> compared_rows(const std::set<std::string>& rows, const BaselineStore& store,
                                    const Fingerprint& here);

/// By how much measured rows of identical work moved against their baselines: ln of the ratio of
/// medians, by device.
std::map<Device, std::vector<double>> controls_of(const std::set<std::string>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store);

/// What a measured row is judged by when its other side is stored.
struct StoredSide {
  const BaselineStore& store;
  Fingerprint here;     ///< of this machine and build
  stats::Look against;  ///< of rows that have a baseline
  stats::Look itself;   ///< of rows that have none, and are compared with themselves
  /// ln(now / stored) of rows of identical work, by device.
  std::map<Device, std::vector<double>> controls = {};
  std::map<std::string, double> tolerances = {};  ///< of rows, before what their baselines state
};

/// One measured row: compared with its baseline, new beside others of this machine, of whatever
/// family, or, where nothing of this fingerprint is stored, uncompared.
RowReport judge_stored(const Row& now, const StoredSide& stored, const Executed& executed);

/// Adds the rows that nobody measured: stored ones, missing from this machine's baseline or known
/// from other machines only, and stages that cannot run here (`unavailable`, with the reason). A
/// stage that ran here once and no longer can is missing, too. `covered`: the names that the run's
/// filter covers; stored rows outside it are not missed.
void add_absent(std::vector<RowReport>& reports, const BaselineStore& store,
                const Fingerprint& here, const std::map<std::string, std::string>& unavailable,
                const std::set<std::string>& covered);

/// By verdict, then by ratio, then by name.
void sort_worst_first(std::vector<RowReport>& reports);

/// Which rows without a finding end a run with exit 3. By default none does.
struct Policy {
  bool strict = false;                        ///< undecided, new and uncompared rows
  bool allow_new = false;                     ///< new rows pass under `strict`, too
  std::optional<bool> undecided_passes = {};  ///< undecided rows, whatever `strict` says
  bool strict_machine = false;                ///< a machine_note()

  /// Whether a row of this verdict, which shows no fault and no regression, passes.
  bool passes(Verdict verdict) const;
};

/// 1 if a row is slower; else 2 if one is failed, unverified, missing or changed; else 3 if one
/// does not pass under `policy`, or the machine differs under `strict_machine`; 77 if no row was
/// measured or failed; else 0.
ExitCode exit_code(const std::vector<RowReport>& reports, const Policy& policy);

}  // namespace ratchet::gate
