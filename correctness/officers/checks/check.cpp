// The quick check of an officers stage, before it is timed: about a second.
#include <algorithm>
#include <string>

#include "kernels/contract/check.h"
#include "correctness/officers/checks/oracle.h"
#include "kernels/officers/officers.h"
#include "perf/measure/instructions/cpu_instructions.h"

namespace ratchet::officers {
namespace {

/// Values of the stored ones that a stage can be asked for in a second, by how many it computes by
/// default.
std::uint64_t count_for(const OfficersStage& stage) {
  return std::min<std::uint64_t>(stage.defaults().at("count"), 65536);
}

CheckResult check(const Stage& stage) {
  const auto* officers = dynamic_cast<const OfficersStage*>(&stage);
  if (!officers) return {false, stage.info().name + " is no officers stage"};
  const std::uint64_t start = 65536, count = count_for(*officers);
  const auto run = officers->prepare_run(officers->defaults().set("count", count),
                                         oracle_state(start));
  run->run();
  const Result result = run->collect();
  if (result.start != start || result.values.size() != count)
    return {false, std::to_string(result.values.size()) + " values, asked for " +
                       std::to_string(count)};
  for (std::uint64_t i = 0; i < count; ++i)
    if (result.values[i] != oracle_values()[start + i])
      return {false, "position " + std::to_string(start + i) + ": " +
                         std::to_string(result.values[i]) + ", should be " +
                         std::to_string(oracle_values()[start + i])};
  return {true, std::to_string(count) + " values from position 65536 equal the stored ones" +
                    (officers->verified() ? "" : "; speculative")};
}

const CheckRegistration registered("officers", check);
const counters::CountedRunRegistration counted("officers", {{"start", 65'536}});  // all before it is made, too

}  // namespace
}  // namespace ratchet::officers
