// Deterministic metrics of a build, compared with stored ones. They do not vary between runs, so
// they need no statistics. The rule in prose: perf/identity/README.md.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "perf/identity/code/static_code.h"
#include "perf/identity/row_id.h"
#include "perf/support/error.h"

namespace ratchet::counters {

/// The metrics of one kernel, or of one run of a stage.
struct Item {
  /// "registers", "stack", "shared", "local_loads", "local_stores", "instructions" of a kernel;
  /// "executed_instructions" of a run; "*_percent" of a profiler.
  std::map<std::string, double> figures;
  std::map<std::string, int> mix;  ///< static instructions by opcode; empty if unknown
  std::string hash;                ///< of the machine code; empty if unknown
  bool operator==(const Item&) const = default;
};

/// The figures of a kernel.
Item item_of(const KernelCode& kernel);

/// Items by stage and name: {"graveler/cuda/01_xoshiro", {"simulate<...>", item}}.
using Items = std::map<RowId, std::map<std::string, Item>>;

/// The name of a row's item among its stage's: "defaults", or its settings.
std::string counted_name(const RowId& row);

/// Figures of one basis; only figures of the same basis are comparable. The fields of a basis are
/// "kind" ("device code", "cpu instructions", "device counters") and what that kind depends on:
/// assembler and architecture, compiler and instruction set, or GPU model.
struct StaticMetrics {
  std::map<std::string, std::string> basis;
  Items stages;
  /// By stage, the revision of the build with these figures; absent if it was not stored.
  std::map<std::string, std::string> revisions = {};
  /// Stages of this build that could not be counted here, or whose count failed. They are unknown,
  /// not gone.
  std::set<std::string> not_counted = {};
  /// Those of them whose count failed.
  std::set<std::string> broken = {};

  /// A readable folder name: "sm_90-cuda-13.0.88", "gcc-12.2.0-avx2", "nvidia-h200-counters".
  std::string slug() const;
};

/// The modules as one StaticMetrics per architecture and toolchain. Shared files of a family count
/// as stages "family/shared/<file>".
std::vector<StaticMetrics> metrics_of(const std::vector<ModuleCode>& modules);

enum class Change { same, better, changed, worse, added, gone, not_counted, uncompared };
std::string to_string(Change change);

/// The comparison of one item with the stored one.
struct Finding {
  std::string stage;
  std::string item;
  Change change = Change::same;
  std::string detail;  ///< "registers 32 -> 40, LOP3 +4"; empty for same
  Item here;           ///< the stored item if it is gone or was not counted
};

/// "LOP3 +4, POPC -1": the opcodes with differing counts; at most the `most` largest differences,
/// and the number of others.
std::string mix_difference(const std::map<std::string, int>& before,
                           const std::map<std::string, int>& now,
                           std::size_t most = std::string::npos);

/// The rule for one item with both sides known; `detail` lists the differences.
Finding compare_item(const Item& stored, const Item& here);

/// All items of both sides, by stage and item. `stored` null: everything is uncompared.
std::vector<Finding> compare(const StaticMetrics* stored, const StaticMetrics& here);

/// 1 if any is worse; else 2 if any is gone or was not counted; else, if strict, 3 if any is new or
/// uncompared; else 0; 77 without findings.
ExitCode exit_code(const std::vector<Finding>& findings, bool strict);

/// The exit code of accepting: `failed` if the count of a stage failed, so that its figures are
/// stale or missing; `nothing_ran` if there was nothing to accept.
ExitCode accepted_exit_code(const std::vector<StaticMetrics>& accepted);

// The stored metrics: <baselines>/metrics/<slug of the basis>/<family>.json.
//
// A file holds one basis and one family:
//   {"context": {"ratchet_metrics": 1, "basis": {...}, "reason": "...",
//                "revisions": {"0123456789ab": ["life/cuda/01_naive"]}},
//    "stages": {"life/cuda/01_naive": {"step<1>": {"registers": 32, ..., "mix": {...},
//                                                  "hash": ""}}}}
// Folders are identified by the basis inside their files, not by their names.

/// Reads one file's text strictly. Throws `Error` naming `what` and the place for malformed JSON,
/// another format, missing parts, and figures that are not numbers from 0 to 2^53.
StaticMetrics parse_metrics(std::string_view text, const std::string& what);

/// The text of a file, with one line per item for readable diffs.
std::string metrics_text(const StaticMetrics& metrics, const std::string& reason);

class MetricsStore {
 public:
  /// Reads every file below `folder` (…/metrics); a missing folder is an empty store. Throws
  /// `Error` like parse_metrics.
  explicit MetricsStore(std::filesystem::path folder);

  /// Everything stored with this basis, of all families; nothing if there is none.
  std::optional<StaticMetrics> find(const std::map<std::string, std::string>& basis) const;

  /// The stored bases of this kind, one line each, for messages.
  std::vector<std::string> bases(const std::string& kind) const;

  /// Replaces the stages of `metrics` in the files of its basis and removes the stages `gone`;
  /// other stages stay with their revisions. Returns the written files. Throws `Error` if one
  /// cannot be written, or if the folder of that name holds another basis.
  std::vector<std::filesystem::path> accept(const StaticMetrics& metrics,
                                            const std::vector<RowId>& gone,
                                            const std::string& reason);

 private:
  struct File {
    std::filesystem::path path;
    StaticMetrics content;
  };
  std::filesystem::path folder_;
  std::vector<File> files_;
};

}  // namespace ratchet::counters
