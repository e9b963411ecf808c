#include "correctness/support/point_result.h"

#include <fmt/format.h>

#include <cmath>

namespace ratchet::correctness {

PointResult point_result(const TestResults& tests) {
  if (tests.empty()) return {PointState::unchecked, "nothing was compared"};
  if (any_rejected(tests)) return {PointState::wrong, summary(tests)};
  std::string seen;
  for (const TestResult& test : tests) {
    seen += fmt::format("{}{}: {}", seen.empty() ? "" : "; ", test.name, test.seen);
    if (!test.is_exact()) seen += fmt::format(" (sees {})", test.power);
  }
  return {PointState::right, seen};
}

PointResult too_long(const std::string& what, double seconds) {
  return {PointState::unchecked,
          fmt::format("{} takes about {:.2g} s: --ratchet_check_point={:.0f} does it", what,
                      seconds, std::ceil(seconds))};
}

}  // namespace ratchet::correctness
