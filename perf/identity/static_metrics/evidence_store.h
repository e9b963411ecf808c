// The stored evidence: <baselines>/evidence/<slug of the basis>/<family>.json.
//
// A file holds one basis and one family:
//   {"context": {"ratchet_evidence": 1, "basis": {...}, "reason": "...",
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

#include "perf/identity/static_metrics/evidence.h"

namespace ratchet::counters {

/// Reads one file's text strictly. Throws `Error` naming `what` and the place for malformed JSON,
/// another format, missing parts, figures that are no numbers, negative or beyond 2^53.
Evidence parse_evidence(std::string_view text, const std::string& what);

/// The text of a file, laid out for a diff: one line an item.
std::string evidence_text(const Evidence& evidence, const std::string& reason);

class EvidenceStore {
 public:
  /// Reads every file below `folder` (…/evidence); an absent folder is an empty store. Throws
  /// `Error` as parse_evidence does.
  explicit EvidenceStore(std::filesystem::path folder);

  /// Everything stored of this basis, all families together; nothing when there is none.
  std::optional<Evidence> find(const std::map<std::string, std::string>& basis) const;

  /// Bases of this kind that are stored, one line each, to say what could have been compared.
  std::vector<std::string> bases(const std::string& kind) const;

  /// Replaces the stages of `evidence` in the files of its basis, and those of them that are
  /// `gone`; other stages stay, with the revisions that they were of. Returns the files written.
  /// Throws `Error` when one cannot be written, and when the folder of that name holds another
  /// basis.
  std::vector<std::filesystem::path> accept(const Evidence& evidence,
                                            const std::vector<std::string>& gone,
                                            const std::string& reason);

 private:
  struct File {
    std::filesystem::path path;
    Evidence content;
  };
  std::filesystem::path folder_;
  std::vector<File> files_;
};

}  // namespace ratchet::counters
