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

TestResult units_of_a_run(const TimedRow& row, std::uint64_t asked_for) {
  const std::uint64_t units = row.instance.units();
  return exact("units of a run", units == asked_for,
               fmt::format("{} for {} asked for", units, asked_for));
}

PointResult too_long(const std::string& what, double seconds) {
  return {PointState::unchecked,
          fmt::format("{} takes about {:.2g} s: --ratchet_check_point={:.0f} does it", what,
                      seconds, std::ceil(seconds))};
}

}  // namespace ratchet::correctness
