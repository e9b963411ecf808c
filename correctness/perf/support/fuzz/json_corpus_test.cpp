// Every seed of the fuzzer's corpus through the JSON reader, without libFuzzer: what the fuzzer
// once found stays found. The properties are those of
// correctness/perf/support/fuzz/json_properties.h.
#include <gtest/gtest.h>

#include <map>

#include "correctness/perf/support/fuzz/json_properties.h"
#include "correctness/support/seeds.h"

namespace ratchet::fuzz {
namespace {

std::vector<correctness::Seed> corpus() {
  return correctness::seeds("perf/support/fuzz/json.seeds");
}

TEST(JsonCorpus, EveryInputIsReadOrRefusedInOneLine) {
  std::map<Reached, int> reached;
  for (const correctness::Seed& seed : corpus()) {
    SCOPED_TRACE(seed.name.empty() ? seed.bytes.substr(0, 80) : seed.name);
    EXPECT_NO_THROW(++reached[check_json_input(seed.bytes)]);
  }
  // A corpus that no longer gets anywhere would test nothing.
  EXPECT_GE(reached[Reached::refused], 10);
  EXPECT_GE(reached[Reached::json], 5);
  EXPECT_GE(reached[Reached::measurements], 5);
}

TEST(JsonCorpus, StaysSmall) {
  const std::vector<correctness::Seed> all = corpus();
  std::size_t bytes = 0;
  for (const correctness::Seed& seed : all) bytes += seed.bytes.size();
  EXPECT_LT(all.size(), 200u);
  EXPECT_LT(bytes, 300'000u);
}

/// Inputs too large or too slow to keep as files.
TEST(JsonCorpus, LongInputsEndSoon) {
  const std::string row =
      R"({"name":"d/cpu/01","run_type":"iteration","iterations":1,"real_time":2.0,"cpu_time":0,)"
      R"("time_unit":"ms","units":1000,"units_per_second":500000,"verified":1,"repetition_index":)";
  std::string rows;
  for (int i = 0; i < 30'000; ++i) rows += (i ? "," : "") + row + std::to_string(i) + "}";
  const std::string head = R"({"context":{"ratchet":{"format":1}},"benchmarks":[)";
  EXPECT_EQ(check_json_input(head + rows + "]}"), Reached::measurements);
  EXPECT_EQ(check_json_input(std::string(5'000'000, '[')), Reached::refused);
  EXPECT_EQ(check_json_input("\"" + std::string(5'000'000, 'x')), Reached::refused);
}

}  // namespace
}  // namespace ratchet::fuzz
