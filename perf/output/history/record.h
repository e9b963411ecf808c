// One gate run as the history keeps it.
//
// Built by the gate from its verdicts, or from the results that it left (context.ratchet.rows
// carries the verdicts): figures as files round them, so that a run appended at once and its file
// imported a year later are recorded alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/verdict.h"

namespace ratchet::history {

struct LaunchRecord {
  std::string side;           ///< "now", or "base": the other build of a comparison on one machine
  std::int64_t position = 0;  ///< number of the launch on its side, from 0
  double units_per_second = 0;
  double real_ms = 0;
  std::optional<double> control_per_second;  ///< of the control workload beside it, if any
};

/// What a run found of a row; nothing where it is read from a baseline, which has no verdicts.
using KeptVerdict = std::optional<gate::Verdict>;
/// Its word; "accepted" for none.
std::string verdict_text(const KeptVerdict& verdict);

struct RowRecord {
  RowId name;
  std::string machine;           ///< folder name of the device that the row depends on
  std::string fingerprint_hash;  ///< of the fields that its time depends on
  KeptVerdict verdict;
  std::string reason;
  std::optional<double> ratio, low, high, detectable;  ///< relative; absent where not compared
  std::optional<double> throughput;  ///< median over the launches now, units per second
  std::optional<double> units;       ///< work of one call
  std::optional<double> tolerance;
  std::string code_hash;    ///< of the kernel's machine code; empty where unknown
  std::string measurement;  ///< equal for equal figures of equal rows; empty without figures
  std::vector<LaunchRecord> launches;
};

struct RunRecord {
  std::string id;    ///< random
  std::string time;  ///< UTC (time.h)
  std::string revision;
  std::string machine;
  Fingerprint fingerprint;
  /// "stored", "base", "compare", "fleet": over several nodes, or "accepted": read from a baseline
  /// file.
  std::string mode;
  std::optional<int> exit_code;  ///< absent where the run was imported
  int rule_version = 1;
  std::vector<RowRecord> rows;
};

/// What the results do not say themselves.
struct RunFacts {
  std::string time;  ///< UTC; empty: the date of the results' context, else now
  std::string mode = "stored";
  std::optional<int> exit_code;
  const Measurements* base = nullptr;  ///< the other side of mode "base"
};

/// A run of these verdicts (name, verdict, reason, figures of the comparison, code hash): what the
/// machine and the launches measured add to each is filled in. Rows that cannot run on this machine
/// are left out.
RunRecord run_record(std::vector<RowRecord> verdicts, const Measurements& measured,
                     const std::string& revision, const RunFacts& facts);

/// The same of a file of results. Rows of a baseline file have no verdict, and get the last
/// accept's revision and reason. Throws `Error` when a row of the context is not of the form that
/// the gate writes.
RunRecord record_of(const Measurements& results, const RunFacts& facts);

/// 16 hexadecimal digits (FNV-1a, 64 bit) of the fields that rows of this device are compared by.
std::string fingerprint_hash(const Fingerprint& fingerprint, Device device);

}  // namespace ratchet::history
