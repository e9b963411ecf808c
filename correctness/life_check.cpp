// The quick check of a life stage, before it is timed: about a second.
#include "correctness/check.h"
#include "correctness/life/checks.h"

namespace ratchet::life {
namespace {

CheckResult check(const Stage& stage) {
  const auto* life = dynamic_cast<const LifeStage*>(&stage);
  if (!life) return {false, stage.info().name + " is no life stage"};
  for (const Edge edge : {Edge::dead, Edge::torus}) {
    if (edge == Edge::torus && !has_torus(*life)) continue;
    const Grid start = soup(1031, 259, 7, 110);
    for (const std::uint64_t steps : {1, 33}) {
      const std::string seen =
          difference(reference_run(start, steps, edge), stage_run(*life, start, steps, 1, edge));
      if (!seen.empty())
        return {false, "1031 x 259 cells after " + std::to_string(steps) + " steps: " + seen};
    }
  }
  return {true, "1031 x 259 cells after 1 and 33 steps equal the reference"};
}

const CheckRegistration registered("life", check);

}  // namespace
}  // namespace ratchet::life
