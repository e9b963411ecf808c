// One gate run as an entry of the history.
//
// Built from the gate's verdicts, or from its results files (context.ratchet.rows holds the
// verdicts). Figures are rounded as in files, so that appending a run and importing its file a year
// later give the same record.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/verdict.h"
#include "perf/gate/rule/reason.h"

namespace ratchet::history {

struct LaunchRecord {
  std::string side;           ///< "now", or "base": the other build of a comparison on one machine
  std::int64_t position = 0;  ///< number of the launch on its side, from 0
  double units_per_second = 0;
  double real_ms = 0;
  std::optional<double> control_per_second;  ///< of the control workload in that launch, if any
};

/// The verdict on a row; none if it comes from a baseline, which has no verdicts.
using KeptVerdict = std::optional<gate::Verdict>;
/// The verdict's word; "accepted" without a verdict.
std::string verdict_text(const KeptVerdict& verdict);
/// "slower, accepted", where a commit accepts it (RowRecord::accepted).
std::string verdict_text(const KeptVerdict& verdict, const std::string& accepted);
/// RowRecord::accepted
std::string accepted_text(const gate::AcceptedBy& accepted);

struct RowRecord {
  RowId name;
  std::string machine;           ///< folder name of the row's device
  std::string fingerprint_hash;  ///< of the fields that the row's time depends on
  KeptVerdict verdict;
  std::string reason;
  std::string accepted = {};  ///< of a slower row: by which commit, and why; empty: not
  std::optional<double> ratio, low, high, detectable;  ///< relative; absent where not compared
  std::optional<double> throughput;  ///< median over the launches now, units per second
  std::optional<double> units;       ///< work of one call
  std::string unit;                  ///< of the throughput (units.h); empty without figures
  std::string clock;                 ///< of the throughput (clock.h); empty where unknown
  std::optional<double> tolerance;
  std::string code_hash;    ///< of the kernel's machine code; empty where unknown
  std::string work = {};    ///< digest of what the row executed; empty where unknown
  std::string measurement;  ///< equal for equal figures of equal rows; empty without figures
  std::vector<LaunchRecord> launches;
};

struct RunRecord {
  std::string id;    ///< random; results of the run hold it, too
  std::string time;  ///< UTC (time.h)
  std::string revision;
  /// "commit", "subject", "author", "branch", "date", "url" of the revision, and "against", the
  /// commit that it was compared with, as far as known.
  std::map<std::string, std::string> commit;
  std::string machine;
  Fingerprint fingerprint;
  /// "stored", "base", "compare", "fleet": over several nodes, "accepted": read from a baseline
  /// file, or "imported": from another tool.
  std::string mode;
  std::optional<int> exit_code;  ///< absent where the run was imported
  int rule_version = 1;
  std::vector<RowRecord> rows;
};

/// Facts of a run that its results lack.
struct RunFacts {
  std::string time;  ///< UTC; empty: the date of the results' context, else now
  std::string mode = "stored";
  std::optional<int> exit_code;
  std::map<std::string, std::string> commit = {};  ///< RunRecord
  const Measurements* base = nullptr;              ///< the other side of mode "base"
};

/// A run with these verdicts (name, verdict, reason, figures of the comparison, code hash),
/// completed with the machine and the measured launches. Rows that cannot run on this machine are
/// omitted.
RunRecord run_record(std::vector<RowRecord> verdicts, const Measurements& measured,
                     const std::string& revision, const RunFacts& facts);

/// RunRecord::commit of "context.ratchet" of a gate.json; nothing for a baseline file, or older
/// results.
std::map<std::string, std::string> commit_of(const nlohmann::json& ratchet);

/// The same for a file of results. Rows of a baseline file have no verdict; they get the revision
/// and reason of the last accept. Throws `Error` if a row of the context is malformed.
RunRecord record_of(const Measurements& results, const RunFacts& facts);

/// 16 hexadecimal digits (FNV-1a, 64 bit) of the fields that must match to compare rows of a
/// device.
std::string fingerprint_hash(const Fingerprint& fingerprint, Device device);

}  // namespace ratchet::history
