// What watches a history: the SQL of the Grafana dashboard on SQLite and on PostgreSQL, and the
// text for Prometheus.
#include <nlohmann/json.hpp>

#include "correctness/perf/output/history/fixture.h"
#include "perf/output/history/render.h"
#include "perf/support/json_file.h"

namespace ratchet::history {
namespace {

using nlohmann::json;

const char* const dashboard_file = RATCHET_SOURCE_DIR "/perf/output/history/grafana.json";

/// As Grafana fills in its variables.
std::string filled(std::string sql, const std::string& row = "'demo/cpu/01_a'") {
  const std::map<std::string, std::string> values = {
      {"${row:sqlstring}", row},
      {"${machine:sqlstring}", "'box-2c','o''ther'"},
      {"${__from:date:iso}", "2026-01-02T00:00:00.000Z"},
      {"${__to:date:iso}", "2026-01-09T00:00:00.000Z"}};
  for (const auto& [name, value] : values)
    for (std::size_t at; (at = sql.find(name)) != std::string::npos;)
      sql.replace(at, name.size(), value);
  EXPECT_LACKS(sql, "$");
  return sql;
}

class Dashboard : public EachStore {
 protected:
  void SetUp() override {
    EachStore::SetUp();
    if (IsSkipped()) return;
    HistoryStore store = writer();
    store.append(run_at("2026-01-01", 900));  // before the dashboard's time
    store.append(run_at("2026-01-03", 1000));
    RunRecord slower = run_at("2026-01-05", 500);
    slower.rows.at(0).verdict = gate::Verdict::slower;
    store.append(slower);
    store.append(run_at("2026-01-04", 2000, "demo/cpu/02_b"));
    store.append(run_at("2026-01-06", 2000, "demo/cpu/02_b", "Elsewhere"));
    database_ = open_database(location_, Access::read);
    dashboard_ = read_json(dashboard_file);
  }
  /// What the panel of this title, or the variable of this name, asks for.
  std::vector<Values> ask(const std::string& of) const {
    for (const json& panel : dashboard_.at("panels"))
      if (panel.at("title") == of)
        return database_->query(filled(panel.at("targets").at(0).at("rawSql")));
    for (const json& variable : dashboard_.at("templating").at("list"))
      if (variable.at("name") == of) return database_->query(filled(variable.at("query")));
    ADD_FAILURE() << "the dashboard has no " << of;
    return {};
  }

  std::unique_ptr<Database> database_;
  json dashboard_;
};

ON_BOTH_STORES(Dashboard);

TEST_P(Dashboard, AsksForWhatTheHistoryHas) {
  using Rows = std::vector<Values>;
  EXPECT_EQ(ask("machine"), (Rows{{"box-2c"}, {"elsewhere-2c"}}));
  EXPECT_EQ(ask("row"), (Rows{{"demo/cpu/01_a"}, {"demo/cpu/02_b"}}));
  const Rows last = ask("Last run of each row");
  ASSERT_EQ(last.size(), 2u);  // of the chosen machines
  EXPECT_EQ(last[0].at(0), Value("demo/cpu/01_a"));
  EXPECT_EQ(last[0].at(1), Value("slower"));
  EXPECT_EQ(last[0].at(6), Value("2026-01-05T00:00:00.000Z"));
  const Rows slower = ask("Slower");
  ASSERT_EQ(slower.size(), 1u);
  EXPECT_EQ(slower[0].at(1), Value("demo/cpu/01_a"));
  const Rows throughput = ask("Throughput of $row");
  EXPECT_EQ(throughput,
            (Rows{{"2026-01-03T00:00:00.000Z", 1000.0}, {"2026-01-05T00:00:00.000Z", 500.0}}));
  const Rows change = ask("Change of $row against what it was compared with");
  ASSERT_EQ(change.size(), 2u);
  EXPECT_NEAR(std::get<double>(change[0].at(1)), -0.01, 1e-9);
}

TEST_P(Dashboard, EveryQueryIsTried) {
  EXPECT_EQ(dashboard_.at("panels").size(), 4u);
  for (const json& panel : dashboard_.at("panels")) {
    EXPECT_EQ(panel.at("targets").size(), 1u);
    EXPECT_EQ(panel.at("transformations")
                  .at(0)
                  .at("options")
                  .at("conversions")
                  .at(0)
                  .at("destinationType"),
              "time")
        << "the history's times are texts";
  }
}

TEST_P(Dashboard, OpenMetricsShowTheLastRunOfEachRow) {
  const std::string text = openmetrics_text(reader().rows());
  EXPECT_HAS(text, "# TYPE ratchet_row_value gauge\n# HELP ratchet_row_value ");
  EXPECT_HAS(text, "\nratchet_row_value{row=\"demo/cpu/01_a\",machine=\"box-2c\",fingerprint=\"");
  EXPECT_HAS(text, "\",unit=\"units/s\",clock=\"\",better=\"larger\"} 500\n");
  EXPECT_HAS(text, ",verdict=\"slower\",accepted=\"no\"} 1\n");
  EXPECT_HAS(text, "better=\"larger\"} 3\n");           // runs
  EXPECT_HAS(text, "better=\"larger\"} 1767571200\n");  // 2026-01-05
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST_P(Dashboard, OpenMetricsKeepTheUnitOfARowThatTheLastRunLacks) {
  RunRecord stated = run_at("2026-02-01", 0.25, "demo/memory"), lost = stated;
  stated.rows.at(0).unit = "MB (smaller is better)";
  stated.rows.at(0).clock = "stated";
  lost = run_at("2026-02-02", 1, "demo/memory");
  lost.rows.at(0).throughput.reset();
  lost.rows.at(0).launches.clear();
  lost.rows.at(0).verdict = gate::Verdict::missing;
  HistoryStore store = writer();
  store.append(stated);
  store.append(lost);
  const std::string text = openmetrics_text(store.rows());
  EXPECT_HAS(text, "ratchet_row_runs{row=\"demo/memory\"");
  EXPECT_HAS(text, "unit=\"MB\",clock=\"stated\",better=\"smaller\"} 2\n");
}

TEST(OpenMetrics, AFigureHasItsValueAndOddNamesAreEscaped) {
  SeriesSummary series;
  series.name = "a \"b\" \\ c";
  series.unit = "MB (smaller is better)";
  series.last_throughput = 0.25;
  series.last_time = "2026-01-05T00:00:00.000Z";
  std::string text = openmetrics_text({series});
  EXPECT_HAS(text, "row=\"a \\\"b\\\" \\\\ c\"");
  EXPECT_HAS(text, "unit=\"MB\",clock=\"\",better=\"smaller\"} 4\n");
  series.last_throughput.reset();
  text = openmetrics_text({series});
  EXPECT_LACKS(text, "\nratchet_row_value{") << "a row without figures has no value";
  EXPECT_HAS(text, "\nratchet_row_verdict{");
}

}  // namespace
}  // namespace ratchet::history
