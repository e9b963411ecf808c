// Deterministic metrics of a build, compared with stored metrics: figures that do not scatter,
// and so need no statistics. The rule in prose: perf/identity/README.md.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/static_code.h"
#include "perf/support/error.h"

namespace ratchet::counters {

/// What is known of one kernel, or of one run of a stage.
struct Item {
  /// "registers", "stack", "shared", "local_loads", "local_stores", "instructions" of a kernel;
  /// "executed_instructions" (per run, counted), and what a profiler says, "*_percent".
  std::map<std::string, double> figures;
  std::map<std::string, int> mix;  ///< static instructions by opcode; empty where not looked at
  std::string hash;                ///< of the machine code; empty where there is none
  bool operator==(const Item&) const = default;
};

/// The figures of a kernel.
Item item_of(const KernelCode& kernel);

/// Items by stage and name: {"graveler/cuda/01_xoshiro", {"simulate<...>", item}}.
using Items = std::map<std::string, std::map<std::string, Item>>;

/// Figures that may be compared with one another, and with no others: those of one basis. Its
/// fields are "kind" ("device code", "cpu instructions", "device counters") and what the figures of
/// this kind depend on: assembler and architecture, compiler and instruction set, GPU model.
struct StaticMetrics {
  std::map<std::string, std::string> basis;
  Items stages;
  /// By stage, the revision of the build that made its figures; stages stored without are absent.
  std::map<std::string, std::string> revisions = {};
  /// Stages of this build that could not be counted here, or whose count failed: nothing is known
  /// of them, which is not that they are gone.
  std::set<std::string> not_counted = {};
  /// Those of them that can run here, and whose count failed.
  std::set<std::string> broken = {};

  /// A folder name for people: "sm_90-cuda-13.0.88", "gcc-12.2.0-avx2", "nvidia-h200-counters".
  std::string slug() const;
};

/// Modules that define stages, one StaticMetrics per architecture and toolchain. Files that
/// families share count as stages "family/shared/<file>".
std::vector<StaticMetrics> metrics_of(const std::vector<ModuleCode>& modules);

enum class Change { same, better, changed, worse, added, gone, not_counted, uncompared };
std::string to_string(Change change);

/// One item beside the stored one.
struct Finding {
  std::string stage;
  std::string item;
  Change change = Change::same;
  std::string detail;  ///< "registers 32 -> 40, LOP3 +4"; empty for same
  Item here;           ///< the stored one where it is gone or was not counted
};

/// "LOP3 +4, POPC -1": the opcodes whose counts differ; where they are more than `most`, those that
/// differ most, and how many others.
std::string mix_difference(const std::map<std::string, int>& before,
                           const std::map<std::string, int>& now,
                           std::size_t most = std::string::npos);

/// The rule for one item of which both sides are known; detail says what differs.
Finding compare_item(const Item& stored, const Item& here);

/// All items of both sides, by stage and item. `stored` null: everything is uncompared.
std::vector<Finding> compare(const StaticMetrics* stored, const StaticMetrics& here);

/// 1 if any is worse; else 2 if any is gone or was not counted; else, if strict, 3 if any is new or
/// uncompared; else 0; 77 when there are none.
ExitCode exit_code(const std::vector<Finding>& findings, bool strict);

/// Of what was accepted: `failed` where the count of a stage failed, so that its figures are the
/// old ones or none; `nothing_ran` where there was nothing to accept.
ExitCode accepted_exit_code(const std::vector<StaticMetrics>& accepted);

}  // namespace ratchet::counters
