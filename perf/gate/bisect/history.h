// The commits between two revisions, and which of them can have changed what is built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::bisect {

struct Revision {
  std::string commit;   ///< all 40 digits
  std::string subject;  ///< the first line of its message
  std::vector<std::string> parents;
  /// Of all files that the build of ratchet-bench can read: equal keys, equal builds.
  std::string key;
};

/// Whether the build of ratchet-bench can read a file of the project, by its path from the
/// project's folder. False only for what is known not to be: texts for people (*.md, LICENSE),
/// baselines, the sources of tests and the data of the harness's tests. When in doubt, true: a
/// commit that is looked at needlessly costs a build, one that is passed over may be the one.
bool enters_the_build(const std::string& path);

/// From `good` to `bad`, both included, oldest first, along first parents: what a branch brought in
/// is one step, its merge. `repository` is the project's folder in a working tree. Throws `Error`
/// in one line where `bad` does not descend from `good` that way.
std::vector<Revision> history_between(const std::filesystem::path& repository,
                                      const std::string& good, const std::string& bad);

}  // namespace ratchet::bisect
