// `ratchet compare A B`: files that were measured before, by ratchet or by any Google Benchmark
// program, held against each other by the gate's rule.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/rule/tolerances.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/support/error.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

struct CompareOptions {
  std::string a;  ///< the baseline: a file, several with commas between, or a folder of *.json;
                  ///< what criterion left (criterion_folder.h) counts as a file
  std::string b;  ///< what is compared with it; likewise
  std::string filter;                       ///< kernels/contract/row_filter.h
  std::vector<StatedTolerance> tolerances;  ///< otherwise the row's own, or its device's
  bool cpu_time = false;                    ///< ThirdPartyOptions
  bool repetitions_are_launches = false;
  bool across_machines = false;
  Policy policy;
  DisplayOptions display = {.all_rows = true};
  std::filesystem::path results;  ///< receives compare.json, summary.md and both
                                  ///< sides' launches, compare_*.json; empty: nothing
};

/// All files of one side.
struct MeasuredSide {
  std::string name;       ///< "A" or "B", for reasons
  Measurements measured;  ///< launches of all files, numbered through; context of the first
  std::map<std::string, ThroughputBasis> basis;
  std::map<std::string, std::string> failures;
  std::set<std::string> skipped;  ///< those of them that were skipped on purpose, in every launch
  std::map<std::string, std::string> absent;  ///< rows that some launches lack, and how many do
  std::set<std::string> unverified;  ///< of ratchet's own rows: those whose check is denied
  std::set<std::string> unchecked;   ///< rows of programs that cannot be checked
  std::size_t files = 0;
};

/// A file of ratchet's own (context.ratchet) brings its launches. Of any other, the file is one
/// launch, or several where runs were merged into it (merged_runs), and each row's repetitions only
/// give its centre, their median; under `repetitions_are_launches` they count as launches. Throws
/// `Error` when a file cannot be read, a folder holds none, or files of one side come from
/// different machines (unless across_machines).
MeasuredSide read_side(const std::string& name, const std::string& files,
                       const CompareOptions& options);

/// "num_cpus is 2 in A, 64 in B", ...: what tells that two contexts are of different machines:
/// num_cpus, mhz_per_cpu (beyond 2 %), host_name, and the fingerprint's cpu.* and gpu.* fields
/// without those of the build. A field that one side lacks tells nothing.
std::vector<std::string> machine_differences(const nlohmann::json& a, const nlohmann::json& b,
                                             const std::string& name_a, const std::string& name_b);

/// Throws `Error` where the two sides come from different machines, unless `across`.
void require_one_machine(const MeasuredSide& a, const MeasuredSide& b, bool across);

/// Every row of either side, worst first: compared by decide_stored(), or missing (not in B), new
/// (not in A), failed or unverified on a side, changed (another work per call, or throughput taken
/// from something else). A row with a single launch on a side is undecided, and says so.
std::vector<RowReport> compare_sides(const MeasuredSide& a, const MeasuredSide& b,
                                     const CompareOptions& options);

}  // namespace ratchet::gate
