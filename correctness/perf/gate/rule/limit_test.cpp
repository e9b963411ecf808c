// Absolute limits: how they are read, and what the launches of a row say of them.
#include "perf/gate/rule/limit.h"

#include <gtest/gtest.h>

#include "correctness/support/expect_has.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/support/error.h"

namespace ratchet::gate {
namespace {

std::string read(const std::string& text) {
  try {
    const StatedLimit limit = read_limit(text);
    return limit.rows + "|" + limit.text();
  } catch (const Error& error) {
    return error.what();
  }
}

/// A row in ms, smaller better, with these figures.
Measurements measured(const std::vector<double>& figures) {
  Measurements all;
  Row& row = all.rows["demo/time"];
  row.name = "demo/time";
  row.basis = FigureKind{"ms", Better::smaller}.text();
  for (const double figure : figures) {
    Launch& launch = row.launches.emplace_back();
    launch.real_ms = figure;
    launch.counters[counter::units_per_second] = figure_kind(row.basis)->throughput(figure);
  }
  return all;
}

AtLimit held(const std::string& limit, const std::vector<double>& figures) {
  std::vector<Facts> rows(1);
  rows[0].name = "demo/time";
  judge_limits(rows, {read_limit(limit)}, measured(figures));
  return rows[0].limits.at(0);
}

std::string state(const std::string& limit, const std::vector<double>& figures) {
  return to_string(held(limit, figures).state);
}

TEST(Limits, AreReadWithTheirUnit) {
  EXPECT_EQ(read("Parse/time<5ms"), "Parse/time|< 5 ms");
  EXPECT_EQ(read("BM_x<int> > 1e3 items/s"), "BM_x<int>|> 1000 items/s");
  EXPECT_EQ(read("score>0.5"), "score|> 0.5");
  EXPECT_EQ(read("Mix>2.5 k items/s"), "Mix|> 2500 items/s") << "as tables have it";
  EXPECT_EQ(read("Mix>5M items/s"), "Mix|> 5000000 items/s");
  EXPECT_EQ(read("size<5MB"), "size|< 5 MB");
  for (const char* wrong :
       {"", "time", "<5ms", "time<", "time<fast", "time<0ms", "time<-1ms", "time<inf", "time<=5ms"})
    EXPECT_HAS(read(wrong), "is not ROWS<VALUE or ROWS>VALUE") << wrong;
}

/// The bounds of five launches are their least and greatest: each is wrong in 3 of 100 runs.
TEST(Limits, S45AreJudgedByTheBoundsOfThisRunsLaunches) {
  const std::vector<double> five = {4.0, 4.1, 4.2, 4.3, 4.4};
  EXPECT_EQ(state("time<4.5ms", five), "kept");
  EXPECT_EQ(state("time<4.2ms", five), "undecided");
  EXPECT_EQ(state("time<3.9ms", five), "exceeded");
  EXPECT_EQ(state("time>3.9ms", five), "kept");
  EXPECT_EQ(state("time>4.5ms", five), "exceeded");
  EXPECT_EQ(state("time<4500us", five), "kept");
  EXPECT_EQ(state("time<0.0039s", five), "exceeded");
  EXPECT_EQ(state("time<4ms", {4, 4, 4, 4, 4}), "exceeded");  // it has to lie below
  EXPECT_EQ(state("time<1ms", {4.0, 4.1, 4.2, 4.3}), "undecided");
  EXPECT_HAS(to_string(Remark(held("time<1ms", {4, 4}))), "4 ms by 2 launches, too few");
  EXPECT_HAS(to_string(Remark(held("time<3900us", five))),
             "limit < 3900 us exceeded: 4200 us (4000 ... 4400)");
}

TEST(Limits, S45AnExceededLimitIsARegressionAndAnUndecidedOneIsNot) {
  RowReport report;
  report.verdict = Verdict::same;
  const auto code = [&](AtLimit::State state, bool strict) {
    report.limits = {AtLimit{"< 5 ms", "ms", state}};
    return exit_code(Ending({report}), Policy{.strict = strict});
  };
  EXPECT_EQ(code(AtLimit::State::kept, true), ExitCode::pass);
  EXPECT_EQ(code(AtLimit::State::exceeded, false), ExitCode::regression);
  EXPECT_EQ(code(AtLimit::State::undecided, false), ExitCode::pass);
  EXPECT_EQ(code(AtLimit::State::undecided, true), ExitCode::undecided);
}

TEST(Limits, AreRefusedBeforeAnythingIsMeasured) {
  const auto refusal = [](const std::string& limit, const std::string& unit) {
    try {
      checked_limits({read_limit(limit)}, {RowId("demo/time")}, {{RowId("demo/time"), unit}});
      return std::string("taken");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string ms = "ms (smaller is better)";
  EXPECT_EQ(refusal("time<5us", ms), "taken");
  EXPECT_HAS(refusal("time<5MB", ms), "its unit does not fit demo/time, which is in ms");
  EXPECT_HAS(refusal("time<5", ms), "is in ms (smaller is better): write 'time<5 ms'");
  EXPECT_HAS(refusal("tine<5ms", ms), "--limit 'tine<5ms': no row of this run has this name");
  EXPECT_EQ(refusal("time<5ms", ""), "taken");
  EXPECT_EQ(refusal("time>5 items/s", ""), "taken");
  EXPECT_HAS(refusal("time<5MB", ""), "its unit does not fit");
}

TEST(Limits, ThatNoValueKeepsAreRefused) {
  const auto refusal = [](const std::string& one, const std::string& other) -> std::string {
    try {
      checked_limits({read_limit(one), read_limit(other)}, {RowId("demo/time"), RowId("demo/size")},
                     {{RowId("demo/time"), "ms (smaller is better)"},
                      {RowId("demo/size"), "MB (smaller is better)"}});
      return "taken";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_HAS(refusal("time<5ms", "time>10ms"),
             "--limit 'time<5ms' and 'time>10ms': no value of demo/time keeps both");
  EXPECT_HAS(refusal("demo/time>5000us", "time<5ms"), "keeps both");
  EXPECT_EQ(refusal("time<10ms", "time>5ms"), "taken");
  EXPECT_EQ(refusal("time<5ms", "time<10ms"), "taken");
  EXPECT_EQ(refusal("time<5ms", "size>10MB"), "taken");
}

/// As everywhere, a whole name means only the row that has it.
TEST(Limits, OfAWholeNameAreOfNoLongerName) {
  Measurements all = measured({4, 4, 4, 4, 4});
  all.rows["demo/time/large"] = all.rows["demo/time"];
  std::vector<Facts> rows(2);
  rows[0].name = "demo/time";
  rows[1].name = "demo/time/large";
  judge_limits(rows, {read_limit("demo/time<5ms")}, all);
  EXPECT_EQ(rows[0].limits.size(), 1u);
  EXPECT_TRUE(rows[1].limits.empty());
}

/// The rows that a limit is of, of a benchmark with two metrics, one without, and a command.
std::string rows_of(const std::string& text) {
  const std::map<RowId, std::string> units = {
      {RowId("bench/BM_dot"), "items_per_second"},
      {RowId("bench/BM_dot/64"), "items_per_second"},
      {RowId("bench/BM_dot/instructions"), "instructions (smaller is better)"},
      {RowId("bench/BM_dot/memory"), "MB (smaller is better)"},
      {RowId("command/size"), "MB (smaller is better)"}};
  std::set<RowId> rows;
  for (const auto& [row, unit] : units) rows.insert(row);
  try {
    const auto limits = checked_limits({read_limit(text)}, rows, units);
    std::string names;
    for (const RowId& row : limits.front().of(rows)) names += row.text() + " ";
    return names;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Limits, OfANameAreNotOfItsMetrics) {
  EXPECT_EQ(rows_of("bench/BM_dot<5us"), "bench/BM_dot ");
  EXPECT_EQ(rows_of("BM_dot<5us"), "bench/BM_dot bench/BM_dot/64 ");
  EXPECT_EQ(rows_of("BM_dot/memory<5MB"), "bench/BM_dot/memory ");
  EXPECT_EQ(rows_of("memory<5MB"), "bench/BM_dot/memory ");
  EXPECT_HAS(rows_of("BM_dot.*<5us"), "--limit 'BM_dot.*<5us': its unit does not fit bench/BM_dot/")
      << "an expression means all that it matches";
}

TEST(Limits, RowTimeIsTheTimeOfACall) {
  EXPECT_EQ(rows_of("bench/BM_dot/time<5us"), "bench/BM_dot ");
  EXPECT_EQ(rows_of("BM_dot/64/time<5us"), "bench/BM_dot/64 ");
  EXPECT_EQ(rows_of("BM_dit/time<5us"),
            "--limit 'BM_dit/time<5us': no row of this run has this "
            "name; did you mean BM_dot?");
  EXPECT_HAS(rows_of("command/time<5ms"), "no row of this run has this name")
      << "a figure is no call";
  EXPECT_EQ(state("demo/time<4.5ms", {4, 4, 4, 4, 4}), "kept") << "a row of this very name";
}

StatedLimit stored(const std::string& row, const std::string& text) {
  StatedLimit limit = read_limit(row + text);
  limit.stored = true;
  return limit;
}

TEST(Limits, S45StoredOnesHoldUnlessTheCommandLineHasOneOfTheirRow) {
  const auto texts_with = [](std::vector<StatedLimit> limits) {
    std::vector<Facts> rows(1);
    rows[0].name = "demo/time";
    judge_limits(rows, limits, measured({4, 4, 4, 4, 4}));
    std::string texts;
    for (const AtLimit& limit : rows[0].limits) texts += to_string(Remark(limit)) + ";";
    return texts;
  };
  EXPECT_EQ(texts_with({stored("demo/time", "<5ms")}), "stored limit < 5 ms kept: 4 ms (4 ... 4);");
  EXPECT_EQ(texts_with(
                {stored("demo/time", "<5ms"), stored("demo/time", ">1ms"), read_limit("time<3ms")}),
            "limit < 3 ms (not the stored < 5 ms) (not the stored > 1 ms) exceeded: 4 ms (4 ... "
            "4);");
  EXPECT_EQ(texts_with({stored("demo/time", "<5MB")}),
            "stored limit < 5 MB undecided: the row is in ms (smaller is better);");
  EXPECT_EQ(texts_with({stored("demo/tim", "<5ms")}), "");  // a name, and no expression
}

TEST(Limits, AFigureOfZeroHasBounds) {
  EXPECT_EQ(to_string(Remark(held("time<1ms", {0, 0, 0, 0, 0}))),
            "limit < 1 ms kept: 0 ms (0 ... 0)");
}

/// Of a program of a benchmark library: the time of a call, or its throughput.
TEST(Limits, TakeTheTimeOfACallAndTheThroughputOfOtherRows) {
  Measurements all;
  Row& row = all.rows["bench/a"];
  row.name = "bench/a";
  row.basis = "items_per_second";
  row.clock = Clock::cpu;
  for (int i = 0; i < 5; ++i) {
    Launch& launch = row.launches.emplace_back();
    launch.real_ms = launch.cpu_ms = 2;
    launch.counters = {{counter::units, 1000}, {counter::units_per_second, 5e5}};
  }
  std::vector<Facts> rows(1);
  rows[0].name = "bench/a";
  judge_limits(rows, {read_limit("a<3ms"), read_limit("a>6e5 items/s")}, all);
  EXPECT_DOUBLE_EQ(rows[0].limits[0].figure, 2);
  EXPECT_EQ(to_string(rows[0].limits[0].state), "kept");
  EXPECT_EQ(to_string(rows[0].limits[1].state), "exceeded");
  EXPECT_THROW(judge_limits(rows, {read_limit("a>1 calls/s")}, all), Error);
}

}  // namespace
}  // namespace ratchet::gate
