// Binary search among revisions, some of which cannot be judged.
#pragma once

#include <cstddef>
#include <optional>
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

}  // namespace ratchet::bisect
