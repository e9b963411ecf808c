// The commits between two revisions, and which of them change the input of the build.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::bisect {

struct Revision {
  std::string commit;   ///< all 40 digits
  std::string subject;  ///< the first line of its message
  std::vector<std::string> parents;
  /// A hash of all files that the build of ratchet-bench can read: equal keys, equal builds.
  std::string key;
};

/// Whether the build of ratchet-bench can read a file of the project, by its path from the
/// project's folder. False only for files that it certainly does not read: documents (*.md,
/// LICENSE), baselines, sources of tests and data of perf's tests. In doubt true: an unnecessary
/// commit costs a build, but a skipped one may be the cause.
bool enters_the_build(const std::string& path);

/// The commits from `good` to `bad`, both included, oldest first, along first parents: a merged
/// branch is one step, its merge. `repository` is the project's folder in a working tree. Throws
/// `Error` where `bad` does not descend from `good` that way.
std::vector<Revision> history_between(const std::filesystem::path& repository,
                                      const std::string& good, const std::string& bad);

}  // namespace ratchet::bisect
