// `ratchet compare A B`: compares files of results, of ratchet or of a third-party program, by the
// gate's rules.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/metric.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/rule/rule.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/support/error.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

/// The files that a command leaves as its results, in the order of a report.
constexpr const char* result_files[] = {"gate.json",   "compare.json", "fleet.json",
                                        "bisect.json", "profile.json", "selftest.jsonl"};

/// Those in a folder; else those that the page in it was made of (`bisect` and `selftest` leave
/// results/bisect/report.html next to results/bisect.json); else those of its folders, down to this
/// depth.
std::vector<std::filesystem::path> results_in(const std::filesystem::path& folder, int depth);

struct CompareOptions {
  std::string a;  ///< the baseline: a file, several separated by commas, or a folder of *.json,
                  ///< or of *.txt where it has none;
                  ///< a folder of criterion (other_formats.h) counts as a file
  std::string b;  ///< compared with the baseline; in the same form
  std::string filter;                          ///< kernels/contract/row_filter.h
  std::vector<StatedTolerance> tolerances;     ///< otherwise the row's own, or the device's default
  ClockChoice clock = ClockChoice::automatic;  ///< ThirdPartyOptions
  std::vector<Metric> metrics;                 ///< compared, too, where rows state them
  bool repetitions_are_launches = false;
  bool across_machines = false;
  Policy policy;
  DisplayOptions display = {.all_rows = true};
  std::filesystem::path results;  ///< folder of compare.json, summary.md and both sides' launches,
                                  ///< compare_*.json; empty: none
};

/// All files of one side.
struct MeasuredSide {
  std::string name;       ///< "A" or "B", for reasons
  Measurements measured;  ///< launches of all files, numbered; context of the first file
  std::map<RowId, std::string> failures;
  std::set<RowId> skipped;              ///< failures skipped on purpose, in every launch
  std::map<RowId, std::string> absent;  ///< rows that some launches lack, with their number
  std::set<RowId> unverified;           ///< rows whose counter "verified" is not 1
  std::set<RowId> unchecked;            ///< rows without the counter "verified"
  std::set<std::string> not_judged;     ///< metrics of its files besides the rows' times
  std::set<std::string> metrics;        ///< that rows state, compared or not
  std::size_t files = 0;
};

/// Reads one side. A file of ratchet (context.ratchet) has launches, as has one of a library that
/// times each row in processes of its own (from_sampled_json). Any other file is one launch, or
/// several where runs were merged into it (merged_runs). The launch's figure is the median of a
/// row's repetitions, which count as launches only with `repetitions_are_launches`. Throws `Error`
/// when a file cannot be read, a folder has none, or files of one side come from different machines
/// (unless across_machines).
MeasuredSide read_side(const std::string& name, const std::string& files,
                       const CompareOptions& options);

/// "num_cpus is 2 in A, 64 in B", ...: the differences that show two contexts to be of different
/// machines. They are sought in num_cpus, mhz_per_cpu (beyond 2 %), host_name, and the
/// fingerprint's fields of the machine. A field that one side lacks is ignored.
std::vector<std::string> machine_differences(const nlohmann::json& a, const nlohmann::json& b,
                                             const std::string& name_a, const std::string& name_b);

/// Throws `Error` where the two sides come from different machines, unless `across`.
void require_one_machine(const MeasuredSide& a, const MeasuredSide& b, bool across);

/// Throws `Error` for a metric that no row of either side states.
void require_metrics(const MeasuredSide& a, const MeasuredSide& b, const CompareOptions& options);

/// Every row of either side, worst first. decide_stored() compares a row that both sides have.
/// Otherwise it is missing (not in B), new (not in A), or failed or unverified on a side. It is
/// changed if a call does another amount of work or throughput has another basis. A row with a
/// single launch on a side is undecided.
std::vector<RowReport> compare_sides(const MeasuredSide& a, const MeasuredSide& b,
                                     const CompareOptions& options);

}  // namespace ratchet::gate
