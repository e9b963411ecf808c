// Every registered officers stage, for tests of each of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "correctness/officers/checks/oracle.h"
#include "kernels/officers/officers.h"
#include "reference/officers.h"

namespace ratchet::officers {

inline std::vector<const OfficersStage*> stages() {
  std::vector<const OfficersStage*> found;
  for (const Stage* stage : registry())
    if (const auto* officers = dynamic_cast<const OfficersStage*>(stage)) found.push_back(officers);
  return found;
}

inline std::string test_name(const testing::TestParamInfo<const OfficersStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class OfficersFixture : public testing::TestWithParam<const OfficersStage*> {
 protected:
  void SetUp() override {
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }
  const OfficersStage& stage() const { return *GetParam(); }
  /// Slow stages compute fewer values.
  std::uint64_t most() const {
    return std::min<std::uint64_t>(65536, stage().defaults().at("count"));
  }
  std::uint64_t first() const { return stage().info().parameters[0].min; }

  Result compute(const State& from, std::uint64_t count, int runs = 1) const {
    const auto run = stage().prepare_run(stage().defaults().set("count", count), from);
    EXPECT_EQ(count, run->units());
    for (int i = 0; i < runs; ++i) run->run();
    return run->collect();
  }
  void expect_stored(std::uint64_t start, std::uint64_t count, int runs = 1) const {
    const Result result = compute(oracle_state(start), count, runs);
    ASSERT_EQ(start, result.start);
    ASSERT_EQ(count, result.values.size());
    for (std::uint64_t i = 0; i < count; ++i)
      ASSERT_EQ(oracle_values()[start + i], result.values[i]) << "position " << start + i;
  }
};

/// `values`, which follow `from`, are those of the recurrence.
inline void expect_by_definition(const State& from, const std::vector<std::uint16_t>& values) {
  std::vector<std::uint32_t> expected;
  for (std::uint64_t n = 0; n < from.next; ++n) expected.push_back(from.value(n));
  for (const std::uint16_t value : values) {
    ASSERT_EQ(reference::officers::next_value(expected), value) << "position " << expected.size();
    expected.push_back(value);
  }
}

}  // namespace ratchet::officers
