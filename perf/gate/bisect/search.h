// Binary search among revisions, some of which cannot be judged.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ratchet::bisect {

/// Revisions 0 (good) to `last` (bad). All revisions before a good one are good, and all after a
/// bad one are bad.
class Search {
 public:
  explicit Search(std::size_t last);

  /// The middle one of the candidates for the first bad revision. Where that cannot be judged,
  /// others on alternating sides at growing distances, so that a range that does not build is soon
  /// left. Nothing when no candidate is left to judge.
  std::optional<std::size_t> next() const;
  void mark(std::size_t revision, bool good);
  void skip(std::size_t revision);

  std::size_t last_good() const { return good_; }
  std::size_t first_bad() const { return bad_; }
  bool found() const { return bad_ == good_ + 1; }

  /// The most revisions that a search among `last` judges, where all can be judged.
  static std::size_t most_steps(std::size_t last);

 private:
  std::size_t good_ = 0, bad_;
  std::vector<bool> skipped_;
};

// The commits between two revisions, and which of them change the input of the build.

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

/// What a step can depend on: what the build reads, or, of a command, any file.
enum class Reads { build, all_files };

/// The commits from `good` to `bad`, both included, oldest first, along first parents: a merged
/// branch is one step, its merge. `repository` is the project's folder in a working tree. Throws
/// `Error` where `bad` does not descend from `good` that way.
std::vector<Revision> history_between(const std::filesystem::path& repository,
                                      const std::string& good, const std::string& bad,
                                      Reads reads = Reads::build);

}  // namespace ratchet::bisect
