// Baselines of a made-up machine for the tests of perf/report.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "correctness/perf/gate/gate_fixture.h"
#include "correctness/support/data_file.h"
#include "correctness/support/error_of.h"
#include "correctness/support/expect_has.h"
#include "kernels/contract/stage.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/study/report/tables.h"
#include "perf/support/error.h"

namespace ratchet::report {

namespace fs = std::filesystem;
inline const fs::path published_folder = correctness::data_file("../baselines/published");

/// The table or plot of this id, which there must be.
inline const PublishedTable& table_of(const Published& published, std::string_view id) {
  return *std::find_if(published.tables.begin(), published.tables.end(),
                       [&](const PublishedTable& table) { return table.id == id; });
}

inline const PlotSpec& plot_of(const Published& published, std::string_view id) {
  return *std::find_if(published.plots.begin(), published.plots.end(),
                       [&](const PlotSpec& plot) { return plot.id == id; });
}

/// The stage of that name; null where this build has none of its backend.
inline const Stage* built_stage(const std::string& name) {
  const Stage* const stage = find_stage(name);
  const auto alike = [&](const Stage* other) {
    return other->info().name.starts_with(name.substr(0, name.rfind('/') + 1));
  };
  EXPECT_TRUE(stage != nullptr || std::none_of(registry().begin(), registry().end(), alike))
      << "no stage " << name;
  return stage;
}

class Report : public GateFixture {
 protected:
  static std::string row(const std::string& name, double units_per_second, int launch = 0,
                         double units = 1000000) {
    return "{\"name\":\"" + name +
           "\",\"run_type\":\"iteration\",\"repetition_index\":" + std::to_string(launch) +
           ",\"iterations\":1,\"real_time\":" + std::to_string(1e3 * units / units_per_second) +
           ",\"cpu_time\":0,\"time_unit\":\"ms\",\"units\":" + std::to_string(units) +
           ",\"units_per_second\":" + std::to_string(units_per_second) +
           ",\"limit_percent\":61.4,\"verified\":1}";
  }
  void store_rows(const std::string& machine, const std::string& family, const std::string& rows,
                  const std::string& context = "") {
    write(baselines() / machine / (family + ".json"),
          "{\"context\":{" + context +
              "\"cpu.cores\":\"4\",\"ratchet\":{\"format\":1}},\"benchmarks\":[" + rows + "]}");
  }
  /// What ci/lab build-settings leaves of a machine: by row, its verdict and figures.
  fs::path store_builds(const std::string& machine, const std::string& family,
                        const std::vector<std::pair<std::string, std::string>>& judged) {
    std::string verdicts, launches;
    for (const auto& [name, verdict] : judged) {
      const char* const comma = verdicts.empty() ? "" : ",";
      verdicts += comma + ("\"" + name + "\":" + verdict);
      launches += comma + row(name, 1e9);
    }
    const fs::path file = baselines() / machine / (family + "_build_settings.json");
    write(file,
          "{\"context\":{\"cpu.cores\":\"4\",\"date\":\"2026-11-24T20:00:00+00:00\","
          "\"ratchet\":{\"format\":1,\"rows\":{" +
              verdicts + "}}},\"benchmarks\":[" + launches + "]}");
    return file;
  }
  /// Each case is published figures with one text replaced by another, and a part of the message
  /// that reading them fails with. The message begins with the file's name.
  static void expect_refused(const fs::path& file, const std::string& figures,
                             const std::vector<std::array<std::string, 3>>& cases) {
    for (const auto& [from, to, part] : cases) {
      std::string text = figures;
      ASSERT_NE(text.find(from), std::string::npos) << from;
      write(file, text.replace(text.find(from), from.size(), to));
      const std::string what = error_of([&] { read_published(file); });
      EXPECT_TRUE(what.starts_with(file.string())) << what;
      EXPECT_HAS(what, part);
    }
  }
  /// The tables of a published family with the machines stored here.
  std::string tables(const std::string& family) {
    const Published published = read_published(published_folder / (family + ".json"));
    return markdown(family_tables(published, machines_with(family, baselines(), {})));
  }
};

}  // namespace ratchet::report
