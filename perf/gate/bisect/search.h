// Which revision to look at next: binary search among revisions of which some cannot be judged.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace ratchet::bisect {

/// Revisions 0 (good) to `last` (bad). What is good is good with all before it, what is bad with
/// all after it.
class Search {
 public:
  explicit Search(std::size_t last);

  /// The middle one of those that may still be the first bad one; where that cannot be judged,
  /// ones farther and farther from it, to both sides in turn, so that a stretch that does not build
  /// is left soon. Nothing when all is known that can be.
  std::optional<std::size_t> next() const;
  void mark(std::size_t revision, bool good);
  void skip(std::size_t revision);

  std::size_t last_good() const { return good_; }
  std::size_t first_bad() const { return bad_; }
  bool found() const { return bad_ == good_ + 1; }

  /// Revisions that a search among `last` needs at most, where all can be judged.
  static std::size_t most_steps(std::size_t last);

 private:
  std::size_t good_ = 0, bad_;
  std::vector<bool> skipped_;
};

}  // namespace ratchet::bisect
