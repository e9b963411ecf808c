// What a command may print as figures, and what each malformed output is told.
#include "perf/gate/baseline/figure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/units.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

std::string shown(const std::string& output, std::optional<Better> otherwise = std::nullopt) {
  std::string text;
  for (const Figure& figure : read_figures(output, otherwise))
    text += figure.name + " " +
            rate_text(figure.kind.throughput(figure.value), figure.kind.text()) +
            (figure.kind.better == Better::smaller ? " < " : " > ");
  return text;
}

std::string refusal(const std::string& output) {
  try {
    return "read as " + shown(output);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Figures, AreReadFromLinesAmongText) {
  EXPECT_EQ(shown("[info] ready\n"
                  R"({"name": "a", "value": 2.5, "unit": "ms"})"
                  "\nthe rest\r\n"
                  R"(  {"name": "b", "value": 3, "unit": "points", "direction": "larger"} )"
                  "\n"),
            "a 2.50 ms < b 3.00 points > ");
  EXPECT_EQ(shown("nothing\n"), "");
  EXPECT_EQ(shown(""), "");
}

TEST(Figures, AreReadFromAnArrayOfGithubActionBenchmark) {
  const std::string pretty =
      "Results:\n[\n  {\n    \"name\": \"a\",\n    \"unit\": \"Percent\",\n"
      "    \"value\": 50,\n    \"range\": \"3\",\n    \"extra\": \"b\"\n  }\n]\n";
  EXPECT_EQ(shown(pretty, Better::smaller), "a 50.0 Percent < ");
  EXPECT_EQ(shown(pretty, Better::larger), "a 50.0 Percent > ");
  EXPECT_HAS(refusal(pretty), "its unit \"Percent\" tells none");
  EXPECT_HAS(refusal(pretty), "--direction");
}

TEST(Figures, AreReadFromBencherMetricFormat) {
  EXPECT_EQ(
      shown(
          R"({"parse": {"latency": {"value": 88.0, "lower_value": 87}, "throughput": {"value": 5}},
                      "tool": {"file-size": {"value": 123456789}, "own": {"value": 2}}})",
          Better::larger),
      "parse/latency 88.0 ns < parse/throughput 5.00 ops/s > tool/file-size 123456789 B < "
      "tool/own 2.00 > ");
  EXPECT_HAS(refusal(R"({"tool": {"own": {"value": 2}}})"), "tool/own states no direction");
  EXPECT_HAS(refusal(R"({"tool": {"own": 2}})"), "tool/own has no \"value\"");
  EXPECT_HAS(refusal(R"({"level": "info"})"), "its \"level\" has no measures");
}

TEST(Figures, TellTheirDirectionByTheUnit) {
  const auto direction = [](const std::string& unit) {
    const std::string text = refusal(R"({"name": "a", "value": 1, "unit": ")" + unit + "\"}");
    return text.ends_with(" < ") ? "smaller" : text.ends_with(" > ") ? "larger" : "none";
  };
  for (const char* unit : {"ns", "µs", "ms", "s", "seconds", "ns/op", "ns/iter", "B", "MiB",
                           "bytes", "B/op", "allocs/op", "instructions"})
    EXPECT_STREQ(direction(unit), "smaller") << unit;
  for (const char* unit : {"ops/s", "MB/s", "req/sec", "frames/min", "Hz", "fps"})
    EXPECT_STREQ(direction(unit), "larger") << unit;
  for (const char* unit : {"", "%", "points", "x", "a/b"})
    EXPECT_STREQ(direction(unit), "none") << unit;
}

TEST(Figures, AreRefusedWithTheLineAndTheReason) {
  EXPECT_HAS(refusal("{\"name\": \"a\", \"value\": 1, \"unit\": \"s\"}\n{\"name\": \"b\", \"val\n"),
             "line 2 of its output");
  EXPECT_HAS(refusal("[\n{\"name\": \"a\"\n"), "line 1 of its output");
  const std::string twice = "{\"name\": \"a\", \"value\": 1, \"unit\": \"s\"}\n";
  EXPECT_HAS(refusal(twice + twice), "line 2 of its output: the name a stands there twice");
  const auto value = [](const std::string& text) {
    return refusal(R"({"name": "a", "unit": "s", "value": )" + text + "}");
  };
  EXPECT_HAS(value("\"1\""), "the value of a is \"1\", not a number");
  EXPECT_HAS(value("NaN"), "the value of a is null, not a number");
  EXPECT_HAS(value("0"), "it must be positive");
  EXPECT_HAS(value("-2"), "it must be positive");
  EXPECT_HAS(refusal(R"({"name": "a"})"), "the value of a is null");
  EXPECT_HAS(refusal(R"({"value": 1})"), "has no name");
  EXPECT_HAS(refusal(R"([{"name": "a", "value": 1, "unit": "s"}, 3])"), "element 2 of line 1");
  EXPECT_HAS(refusal(R"({"name": "a", "value": 1, "unit": 3})"), "the unit of a is not a text");
  EXPECT_HAS(refusal(R"({"name": "a", "value": 1, "unit": "s", "direction": "up"})"),
             "the direction of a is \"up\"");
}

TEST(Figures, KeepUnitAndDirectionAsText) {
  for (const FigureKind& kind :
       {FigureKind{"ms", Better::smaller}, FigureKind{"", Better::larger}}) {
    const auto read = figure_kind(kind.text());
    ASSERT_TRUE(read) << kind.text();
    EXPECT_EQ(read->unit, kind.unit);
    EXPECT_EQ(read->better, kind.better);
  }
  EXPECT_FALSE(figure_kind("1/real_time"));
  EXPECT_FALSE(figure_kind(""));
  EXPECT_EQ(per_second_text("ms (smaller is better)"), "1/ms");
  EXPECT_EQ(per_second_text("req/s (larger is better)"), "req/s");
  EXPECT_EQ(per_second_text("calls"), "calls/s");
  EXPECT_EQ(rates_text(1 / 12.5, 1 / 12.6, "MB (smaller is better)"), "12.5 -> 12.6 MB");
}

/// Rules take positive throughputs, so 0 has an inverse of its own, larger than any other.
TEST(Figures, OfZeroHaveAThroughputToo) {
  const FigureKind kind{"allocs", Better::smaller};
  const double zero = kind.throughput(0), median_with_one = (kind.throughput(1) + zero) / 2;
  EXPECT_TRUE(std::isfinite(zero) && zero > kind.throughput(1e-80));
  EXPECT_EQ(kind.throughput(zero), 0);
  EXPECT_EQ(kind.throughput(median_with_one), 0);
  EXPECT_EQ((FigureKind{"points", Better::larger}.throughput(1e95)), 1e95);
  EXPECT_EQ(rates_text(zero, kind.throughput(3), kind.text()), "0 -> 3.00 allocs");
  EXPECT_EQ(change_text(kind.throughput(3) / zero), "-100.00 %");
  EXPECT_EQ(change_text(zero / kind.throughput(3)), "+inf %");
  EXPECT_EQ(change_text(1 - 1e-9), "+0.00 %");
  EXPECT_EQ(change_text(1 - 0.00006), "-0.01 %");
  const auto read = [](const std::string& line) {
    return read_figures(R"({"name": "a", )" + line + "}", std::nullopt);
  };
  EXPECT_EQ(read(R"("value": 0, "unit": "B")").at(0).value, 0);
  EXPECT_EQ(read(R"("value": 0, "unit": "x", "direction": "smaller")").at(0).value, 0);
  for (const char* line : {R"("value": 0, "unit": "ms")", R"("value": 1e-95, "unit": "B")",
                           R"("value": -1, "unit": "B")", R"("value": 0, "unit": "req/s")"})
    EXPECT_THROW(read(line), Error) << line;
}

TEST(Figures, JsonWithoutFiguresIsNoCommandWithoutOutput) {
  for (const char* output : {"[]\n", "{}\n", "[\n]\n", "ready\n[ ]\n"})
    EXPECT_HAS(error_of([&] { read_figures(output, {}); }), "is JSON without figures") << output;
  EXPECT_TRUE(read_figures("[info] ready\n[1, 2]\n", {}).empty());
}

TEST(Figures, ConvertTimesAndSizes) {
  EXPECT_DOUBLE_EQ(*seconds_in("ms"), 1e-3);
  EXPECT_DOUBLE_EQ(*seconds_in("ns/op"), 1e-9);
  EXPECT_DOUBLE_EQ(*bytes_in("KiB"), 1024);
  EXPECT_FALSE(seconds_in("MB"));
  EXPECT_FALSE(bytes_in("points"));
}

}  // namespace
}  // namespace ratchet
