#include "perf/output/fleet/fleet_record.h"

#include <fmt/format.h>

#include <algorithm>

#include "perf/output/files/output_files.h"
#include "perf/support/clock.h"
#include "perf/support/hash.h"

namespace ratchet::gate {
namespace {

/// Records each node as one launch of the rows that it measured.
Measurements medians_of(const std::vector<FleetNode>& nodes) {
  Measurements medians;
  for (const FleetNode& node : nodes) {
    if (!node.lost.empty()) continue;
    for (const auto& [name, row] : node.rows) {
      if (!(row.throughput > 0)) continue;
      Row& found = medians.rows[name];
      found.name = name;
      Launch launch;
      launch.index = static_cast<int>(found.launches.size());
      launch.real_ms = 1e3 * row.units / row.throughput;
      launch.counters = {{counter::units, row.units}, {counter::units_per_second, row.throughput}};
      found.launches.push_back(launch);
    }
  }
  return medians;
}

/// 32 hexadecimal digits: a hash of the judged nodes and the verdicts.
std::string id_of(const std::vector<FleetNode>& nodes, const history::RunRecord& run) {
  std::string all = fmt::format("fleet {} exit {}\n", run.revision, run.exit_code.value_or(-1));
  for (const FleetNode& node : nodes)
    all += fmt::format("{} {} {}\n", node.name, node.began, node.lost.empty());
  for (const history::RowRecord& row : run.rows)
    all += fmt::format("{} {} {} {}\n", row.name, history::verdict_text(row.verdict),
                       row.ratio.value_or(0), row.throughput.value_or(0));
  return fnv1a(all) + fnv1a("once more\n" + all);
}

}  // namespace

std::string began(const std::vector<FleetNode>& nodes) {
  std::string last;
  for (const FleetNode& node : nodes)
    if (const auto time = utc_time(node.began); node.lost.empty() && time)
      last = std::max(last, *time);
  return last;
}

history::RunRecord fleet_record(const std::vector<FleetNode>& nodes,
                                const std::vector<RowReport>& reports, ExitCode code) {
  const FleetNode& first = *std::find_if(nodes.begin(), nodes.end(),
                                         [](const FleetNode& node) { return node.lost.empty(); });
  Outcome outcome;
  outcome.reports = reports;
  outcome.measured = medians_of(nodes);
  outcome.measured.context = first.fingerprint.fields;
  outcome.revision = first.revision;
  history::RunRecord run = history_record(outcome, code);
  run.mode = "fleet";
  if (const std::string time = began(nodes); !time.empty()) run.time = time;
  run.id = id_of(nodes, run);
  return run;
}

}  // namespace ratchet::gate
