// The rules of other tools as written down in rivals.cpp, against the tools' own programs on the
// same recording (ci/lab rivals): as many comparisons, and as many of them called slower.
#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "correctness/harness/rivals/rivals_data.h"

namespace ratchet::rivals {
namespace {

const std::string recorded_data =
    std::string(RATCHET_SOURCE_DIR) + "/correctness/harness/rivals/data/";

std::map<std::string, nlohmann::json> own_programs() {
  std::ifstream file(recorded_data + "own-programs.jsonl");
  std::map<std::string, nlohmann::json> lines;
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line);
    lines[entry.at("tool").get<std::string>()] = entry;
  }
  return lines;
}

/// Of how many comparisons rule and program may disagree: criterion draws its resamples at random.
void expect_agreement(const std::string& rule_name, const std::string& tool, std::size_t apart) {
  const auto line = own_programs().at(tool);
  const auto blocks = read_launches(recorded_data + line.at("recording").get<std::string>());
  const auto held = [&](const char* key, double slowdown) {
    const Rate rate = try_rules({rule(rule_name)}, blocks, slowdown)[0];
    EXPECT_EQ(rate.runs, line.at(key).at("of").get<std::size_t>()) << tool << ", " << key;
    EXPECT_NEAR(double(rate.slower), line.at(key).at("slower").get<double>(), double(apart))
        << tool << ", " << key;
  };
  held("as_recorded", 1);
  held("planted", 1 + line.at("planted_share").get<double>());
}

TEST(RivalsAgreement, RulesCallWhatTheProgramsCall) {
  expect_agreement("nvbench compare", "nvbench", 0);
  expect_agreement("Google Benchmark compare.py, 9 repetitions", "compare.py", 0);
  expect_agreement("asv", "asv", 0);
  expect_agreement("criterion", "criterion", 3);
}

}  // namespace
}  // namespace ratchet::rivals
