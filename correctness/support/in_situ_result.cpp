#include "correctness/support/in_situ_result.h"

#include <fmt/format.h>

#include <cmath>

namespace ratchet::correctness {

InSituResult in_situ_result(const TestResults& tests) {
  if (tests.empty()) return {InSituState::unchecked, "nothing was compared"};
  if (any_rejected(tests)) return {InSituState::wrong, summary(tests)};
  std::string seen;
  for (const TestResult& test : tests) {
    seen += fmt::format("{}{}: {}", seen.empty() ? "" : "; ", test.name, test.seen);
    if (!test.is_exact()) seen += fmt::format(" (sees {})", test.power);
  }
  return {InSituState::right, seen};
}

TestResult units_of_a_run(const TimedRow& row, std::uint64_t asked_for) {
  const std::uint64_t units = row.instance.units();
  return exact("units of a run", units == asked_for,
               fmt::format("{} for {} asked for", units, asked_for));
}

InSituResult too_long(const std::string& what, double seconds) {
  return {InSituState::unchecked,
          fmt::format("{} takes about {:.2g} s: --ratchet_verify_in_situ_s={:.0f} does it", what,
                      seconds, std::ceil(seconds))};
}

}  // namespace ratchet::correctness
