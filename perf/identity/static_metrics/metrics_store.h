// The stored metrics: <baselines>/metrics/<slug of the basis>/<family>.json.
//
// A file holds one basis and one family:
//   {"context": {"ratchet_metrics": 1, "basis": {...}, "reason": "...",
//                "revisions": {"life/cuda/01_naive": "0123456789ab"}},
//    "stages": {"life/cuda/01_naive": {"step<1>": {"registers": 32, ..., "mix": {...},
//                                                  "hash": ""}}}}
// Folders are identified by the basis inside their files, not by their names.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

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
                                            const std::vector<std::string>& gone,
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
