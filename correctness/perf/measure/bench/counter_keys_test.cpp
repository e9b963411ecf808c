// The counters of a launch: their list is whole, and the table and the schema are made of it.
#include "perf/measure/counter_keys.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "correctness/support/programs.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

using nlohmann::ordered_json;

const std::string readme = RATCHET_SOURCE_DIR "/perf/measure/README.md";
const std::string schema =
    RATCHET_SOURCE_DIR "/correctness/perf/gate/data/outputs/launches.schema.json";

bool writes() { return std::getenv("RATCHET_WRITE_COUNTERS") != nullptr; }

std::string table() {
  std::string text = "| counter | unit | meaning |\n|---|---|---|\n";
  for (const counter::Counter& each : counter::all)
    text += std::string("| `") + each.key + "` | " + each.unit + " | " + each.meaning + " |\n";
  return text;
}

/// `text` with the table in the place of the one that it has.
std::string with_table(const std::string& text) {
  const std::size_t begin = text.find("| counter |");
  if (begin == std::string::npos) return text;
  return text.substr(0, begin) + table() + text.substr(text.find("\n\n", begin) + 1);
}

/// The schema with these counters, a line each, after Google Benchmark's own keys of a launch.
std::string with_counters(const std::string& text) {
  const std::string last_own = "\"time_unit\": {\"const\": \"ms\"}";
  const std::size_t begin = text.find(last_own) + last_own.size();
  std::string lines;
  for (const counter::Counter& each : counter::all) {
    const ordered_json property = {
        {"type", "number"}, {"description", std::string(each.meaning) + " (" + each.unit + ")"}};
    lines += std::string(",\n          \"") + each.key + "\": " + property.dump();
  }
  return text.substr(0, begin) + lines + text.substr(text.find("\n        }", begin));
}

TEST(CounterKeys, TheTableAndTheSchemaAreMadeOfTheList) {
  const std::string written_table = with_table(read_text(readme));
  const std::string written_schema = with_counters(read_text(schema));
  if (writes()) {
    write_atomically(readme, written_table);
    write_atomically(schema, written_schema);
  }
  const char* const how =
      "run RATCHET_WRITE_COUNTERS=1 build/correctness/stages_test --gtest_filter=CounterKeys.*";
  EXPECT_NE(read_text(readme).find("\n" + table() + "\n"), std::string::npos) << how;
  EXPECT_EQ(read_text(schema), written_schema) << how;
}

TEST(CounterKeys, StandOnceEachWithUnitAndMeaning) {
  std::set<std::string> keys;
  for (const counter::Counter& each : counter::all) {
    EXPECT_TRUE(keys.insert(each.key).second) << each.key;
    EXPECT_NE(std::string(each.unit), "") << each.key;
    EXPECT_NE(std::string(each.meaning), "") << each.key;
  }
}

/// Google Benchmark's own numbers; the rest of a launch are counters.
const std::set<std::string> own_keys = {"family_index", "per_family_instance_index",
                                        "repetitions",  "repetition_index",
                                        "threads",      "iterations",
                                        "real_time",    "cpu_time"};

TEST(CounterKeys, NoneThatARowHasIsMissing) {
  std::set<std::string> known;
  for (const counter::Counter& each : counter::all) known.insert(each.key);
  const ProcessResult result =
      run_process({built_program("perf/ratchet-bench"), "--ratchet_budget_s=0.05",
                   "--benchmark_filter=^graveler/cpu/0[13]", "--ratchet_set=battles=4096",
                   "--ratchet_skip_check", "--benchmark_format=json"},
                  120);
  ASSERT_TRUE(result.ok()) << result.describe();
  std::size_t counters = 0;
  const auto root = nlohmann::json::parse(result.output);
  for (const auto& row : root.at("benchmarks"))
    for (const auto& [key, value] : row.items()) {
      if (!value.is_number() || own_keys.contains(key)) continue;
      EXPECT_TRUE(known.contains(key)) << key << " is not in perf/measure/counter_keys.h";
      ++counters;
    }
  EXPECT_GT(counters, 20u);
}

}  // namespace
}  // namespace ratchet
