#include "perf/gate/bisect/search.h"

#include <algorithm>
#include <stdexcept>

namespace ratchet::bisect {
namespace {

/// The van der Corput sequence 1/2, 1/4, 3/4, 1/8, 5/8, ...: the binary digits of 1, 2, 3, ...
/// mirrored at the radix point. Every prefix fills the interval evenly.
double place(std::size_t index) {
  double value = 0, digit = 0.5;
  for (std::size_t rest = index; rest > 0; rest /= 2, digit /= 2)
    value += static_cast<double>(rest % 2) * digit;
  return value;
}

}  // namespace

Search::Search(std::size_t last) : bad_(last), skipped_(last + 1, false) {
  if (last == 0) throw std::invalid_argument("a search needs two revisions");
}

std::optional<std::size_t> Search::next() const {
  std::vector<std::size_t> open;
  std::size_t skipped = 0;
  for (std::size_t i = good_ + 1; i < bad_; ++i) {
    if (skipped_[i]) ++skipped;
    if (!skipped_[i]) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  const double wanted =
      static_cast<double>(good_) + place(skipped + 1) * static_cast<double>(bad_ - good_);
  return *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
    const auto far = [&](std::size_t i) {
      const double distance = static_cast<double>(i) - wanted;
      return distance < 0 ? -distance : distance;
    };
    return far(a) < far(b);
  });
}

void Search::mark(std::size_t revision, bool good) {
  if (good) good_ = std::max(good_, revision);
  if (!good) bad_ = std::min(bad_, revision);
}

void Search::skip(std::size_t revision) { skipped_.at(revision) = true; }

std::size_t Search::most_steps(std::size_t last) {
  std::size_t steps = 0;
  for (std::size_t reached = 1; reached < last; reached *= 2) ++steps;
  return steps;
}

}  // namespace ratchet::bisect
