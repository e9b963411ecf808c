#include "perf/stats/modes.h"

#include <algorithm>

#include "perf/stats/quantile.h"

namespace ratchet::stats {

std::optional<TwoModes> two_modes(std::vector<double> values) {
  constexpr std::size_t least = 12, least_of_a_mode = 3, part = 7;
  constexpr double apart = 3;
  if (values.size() < least) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t margin = std::max(least_of_a_mode, values.size() / part);
  const auto gap = [&](std::size_t upper) { return values[upper] - values[upper - 1]; };
  std::size_t split = margin;
  for (std::size_t i = margin; i <= values.size() - margin; ++i)
    if (gap(i) > gap(split)) split = i;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(split);
  const std::vector<double> low(values.begin(), middle), high(middle, values.end());
  const auto width = [](const std::vector<double>& sorted) {
    return sorted_quantile(sorted, 0.75) - sorted_quantile(sorted, 0.25);
  };
  if (!(gap(split) > apart * std::max(width(low), width(high)))) return std::nullopt;
  return TwoModes{median(low), median(high), low.size(), high.size()};
}

}  // namespace ratchet::stats
