// The stored metrics: <baselines>/metrics/<slug of the basis>/<family>.json.
//
// A file holds one basis and one family:
//   {"context": {"ratchet_metrics": 1, "basis": {...}, "reason": "...",
//                "revisions": {"life/cuda/01_naive": "0123456789ab"}},
//    "stages": {"life/cuda/01_naive": {"step<1>": {"registers": 32, ..., "mix": {...}, "hash":
//    ""}}}}
// Folders are found by the basis inside their files; their names are for people.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

/// Reads one file's text strictly. Throws `Error` naming `what` and the place for malformed JSON,
/// another format, missing parts, figures that are no numbers, negative or beyond 2^53.
StaticMetrics parse_metrics(std::string_view text, const std::string& what);

/// The text of a file, laid out for a diff: one line an item.
std::string metrics_text(const StaticMetrics& metrics, const std::string& reason);

class MetricsStore {
 public:
  /// Reads every file below `folder` (…/metrics); an absent folder is an empty store. Throws
  /// `Error` as parse_metrics does.
  explicit MetricsStore(std::filesystem::path folder);

  /// Everything stored of this basis, all families together; nothing when there is none.
  std::optional<StaticMetrics> find(const std::map<std::string, std::string>& basis) const;

  /// Bases of this kind that are stored, one line each, to say what could have been compared.
  std::vector<std::string> bases(const std::string& kind) const;

  /// Replaces the stages of `metrics` in the files of its basis, and those of them that are
  /// `gone`; other stages stay, with the revisions that they were of. Returns the files written.
  /// Throws `Error` when one cannot be written, and when the folder of that name holds another
  /// basis.
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
