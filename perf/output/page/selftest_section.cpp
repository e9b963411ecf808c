#include <fmt/format.h>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/selftest/selftest.h"
#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/stats/sequential.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

json rate_model(const gate::Rate& rate) {
  return {rate.hits, rate.of, rounded(rate.low, 5), rounded(rate.high, 5)};
}

const char* surroundings(bool neighbour) { return neighbour ? "busy neighbour" : "alone"; }

json alarms_model(const gate::SelftestSummary& summary) {
  json list = json::array();
  for (const auto& alarms : summary.alarms)
    list.push_back({{"load", surroundings(alarms.neighbour)},
                    {"slower", rate_model(alarms.slower)},
                    {"faster", rate_model(alarms.faster)},
                    {"undecided", rate_model(alarms.undecided)}});
  return list;
}

json detections_model(const gate::SelftestSummary& summary) {
  json list = json::array();
  for (const auto& detection : summary.detections)
    list.push_back({{"slowdown", rounded(detection.slowdown, 6)},
                    {"load", surroundings(detection.neighbour)},
                    {"measured", rounded(detection.measured, 6)},
                    {"slower", rate_model(detection.slower)},
                    {"same", rate_model(detection.same)}});
  return list;
}

/// The false alarms of all runs, compared with the promised rate.
json selftest_verdict(const gate::SelftestSummary& summary) {
  std::size_t alarms = 0, runs = 0;
  for (const auto& each : summary.alarms) {
    alarms += each.slower.hits;
    runs += each.slower.of;
  }
  const bool kept = gate::rate(alarms, runs).low <= stats::kFalseAlarms;
  return {{"state", runs == 0 ? "nothing"
                    : kept    ? "pass"
                              : "failed"},
          {"sentence", fmt::format("{} of {} over unchanged code called a row slower; the gate "
                                   "promises at most {:g} %.",
                                   alarms, counted(runs, "runs"), 100 * stats::kFalseAlarms)}};
}

std::string machine_of_record(const json& context) {
  for (const char* key : {"gpu.model", "cpu.model"})
    if (const json value = context.value(key, json()); value.is_string())
      return printable(value.get<std::string>(), 200);
  return "unknown";
}

}  // namespace

json selftest_section(const std::filesystem::path& file) {
  const gate::SelftestRecord record = gate::read_selftest({file});
  const gate::SelftestSummary summary = gate::summarize(record);
  json detectable = json::array();
  for (const auto& [row, effect] : summary.detectable)
    detectable.push_back({printable(row), rounded(effect, 5)});
  json facts = json::array();
  facts.push_back({"machine", machine_of_record(record.context)});
  facts.push_back({"gate runs", std::to_string(record.runs.size())});
  facts.push_back(
      {"the gate's own share of the time", fmt::format("{:.1f} %", 100 * summary.overhead)});
  return {{"kind", "selftest"},
          {"title", "Selftest"},
          {"verdict", selftest_verdict(summary)},
          {"facts", facts},
          {"alarms", alarms_model(summary)},
          {"detections", detections_model(summary)},
          {"detectable", detectable},
          {"unknown", gate::unknown_text(summary)}};
}

}  // namespace ratchet::report
