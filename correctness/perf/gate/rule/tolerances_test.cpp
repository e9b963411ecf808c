// What a command line says of tolerances.
#include "perf/gate/rule/tolerances.h"

#include <gtest/gtest.h>

#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

std::string refusal(const std::string& text) {
  try {
    read_tolerance(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tolerances, AreOfEveryRowOrOfThoseThatAFilterSelects) {
  EXPECT_EQ(read_tolerance("0.03").rows, "");
  EXPECT_EQ(read_tolerance("0.03").share, 0.03);
  EXPECT_EQ(read_tolerance("1e-3").share, 0.001);
  EXPECT_EQ(read_tolerance("Dot=0.1").rows, "Dot");
  EXPECT_EQ(read_tolerance("BM_f<a=1>/64=0.1").rows, "BM_f<a=1>/64") << "the last '='";
  EXPECT_EQ(read_tolerance("BM_f<a=1>/64=0.1").share, 0.1);
  for (const char* bad : {"", "=", "=0.1", "0", "1", "-0.1", "nan", "inf", "3%", "0.03 ", "Dot=",
                          "Dot=much", "Dot", "0x1", "0.00001"})
    EXPECT_NE(refusal(bad).find("\"" + std::string(bad) + "\" is neither a share"),
              std::string::npos)
        << bad;
}

TEST(Tolerances, TheLastThatSelectsARowCounts) {
  const std::set<std::string> rows = {"Add", "Dot", "DotBig"};
  using Expected = std::map<std::string, double>;
  EXPECT_EQ(tolerances_for({}, rows), Expected());
  EXPECT_EQ(tolerances_for({{"Dot", 0.1}}, rows), (Expected{{"Dot", 0.1}})) << "a whole name";
  EXPECT_EQ(tolerances_for({{"", 0.02}, {"Do", 0.1}, {"Dot", 0.3}}, rows),
            (Expected{{"Add", 0.02}, {"Dot", 0.3}, {"DotBig", 0.1}}));
  EXPECT_EQ(tolerances_for({{"Dot", 0.3}, {"", 0.02}}, rows),
            (Expected{{"Add", 0.02}, {"Dot", 0.02}, {"DotBig", 0.02}}));
  EXPECT_EQ(tolerances_for({{"-Dot", 0.1}}, rows), (Expected{{"Add", 0.1}, {"DotBig", 0.1}}));
  EXPECT_THROW(tolerances_for({{"Sub", 0.1}}, rows), Error);
  EXPECT_THROW(tolerances_for({{"(", 0.1}}, rows), Error);
  EXPECT_EQ(tolerances_for({{"Sub", 0.1}}, {}), Expected()) << "nothing runs here at all";
}

}  // namespace
}  // namespace ratchet::gate
