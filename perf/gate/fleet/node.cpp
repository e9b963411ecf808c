#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/fleet/fleet_rule.h"
#include "perf/gate/rule/facts.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::optional<double> positive(const Node& row, const char* key) {
  return row.has(key) ? std::optional(row.at(key).positive()) : std::nullopt;
}

bool flag(const Node& row, const char* key) { return row.has(key) && row.at(key).truth(); }

NodeRow node_row(const Node& entry) {
  NodeRow row;
  row.verdict = verdict_in(entry);
  row.reason = entry.text_or_empty("reason");
  row.ratio = positive(entry, "ratio");
  const auto low = positive(entry, "low"), high = positive(entry, "high");
  if (low && high) row.interval = stats::Bounds{*low, *high, 0};
  row.tolerance = positive(entry, "tolerance").value_or(0);
  row.launches = entry.at("launches").count();
  if (entry.has("baseline_launches")) row.baseline_launches = entry.at("baseline_launches").count();
  row.paired = flag(entry, "paired");
  row.identical_work = flag(entry, "identical_work");
  row.work = entry.text_or_empty("work");
  row.unit = printable(entry.text_or_empty("unit"), 40);
  row.before = positive(entry, "before").value_or(0);
  row.call_s = positive(entry, "call_ms").value_or(0) / 1e3;
  row.call_before_s = positive(entry, "call_before_ms").value_or(0) / 1e3;
  row.clock = clock_of(entry.text_or_empty("clock"));
  return row;
}

void read_results(FleetNode& node, const fs::path& file) {
  const Measurements measured = read_measurements(file);
  const Node ratchet(measured.context.at("ratchet"), file.string() + ": context.ratchet");
  node.revision = ratchet.at("revision").text();
  const Node run = ratchet.at("run");
  node.mode = run.at("mode").text();
  node.against = run.at("against").text();
  node.began = run.at("began").text();
  for (const char* key : {"project", "url", "ci_run", "commits"})
    if (run.has(key)) node.provenance[key] = run.at(key).value();
  for (const Node& entry : run.list_or_empty("accepts"))
    node.overrides.push_back(override_of(entry));
  node.fingerprint = measured.fingerprint();
  for (const auto& [name, entry] : ratchet.at("rows").members()) {
    NodeRow& row = node.rows[name] = node_row(entry);
    const auto found = measured.rows.find(name);
    if (found == measured.rows.end()) continue;
    row.throughput = stats::median(found->second.throughputs());
    if (!(row.call_s > 0)) row.call_s = figures_of(found->second).call_s;
    row.units = found->second.units();
    row.basis = found->second.basis;
  }
}

FleetNode node_in(const fs::path& folder) {
  FleetNode node;
  node.name = printable(folder.filename().string());
  const fs::path file = folder / "gate.json";
  if (fs::exists(folder) && !fs::is_directory(folder)) {
    node.lost = folder.string() +
                " is a file; --merge takes the folder of each node's results, which holds its "
                "gate.json";
    return node;
  }
  if (!fs::exists(file)) {
    node.lost = fs::exists(folder) ? "it left no gate.json, so its gate did not finish"
                                   : "there is no folder " + folder.string();
    return node;
  }
  try {
    read_results(node, file);
  } catch (const std::exception& error) {
    node.lost = error.what();
  }
  return node;
}

/// A name for a folder that was given as "." or with a slash behind it, too.
fs::path plain(const fs::path& folder) {
  const fs::path whole = fs::weakly_canonical(fs::absolute(folder));
  return whole.has_filename() ? whole : whole.parent_path();
}

bool holds_merged_run(const fs::path& folder) {
  return fs::exists(folder / "fleet.json") && !fs::exists(folder / "gate.json");
}

/// `results`: of this merge. Neither that folder nor one of an earlier merge is a node.
std::vector<fs::path> node_folders(const fs::path& folder, const fs::path& results,
                                   std::string& note) {
  std::vector<fs::path> inner;
  const bool merged = holds_merged_run(folder);
  if (!fs::exists(folder / "gate.json") && fs::is_directory(folder))
    for (const fs::path& entry : sorted_entries(folder)) {
      if (!fs::is_directory(entry)) continue;
      if (fs::exists(entry / "gate.json") || (entry != results && !holds_merged_run(entry)))
        inner.push_back(entry);
      else if (entry != results)
        note += fmt::format("{} holds a merged run, not a node\n", entry.string());
    }
  if (inner.empty() && merged)
    throw Error(
        fmt::format("{} holds a merged run (fleet.json), not a node; name the folders "
                    "of its nodes",
                    folder.string()));
  return inner.empty() ? std::vector{folder} : inner;
}

/// Keeps those that most agree with; of the others `differs` says in what, held against one of
/// those.
void keep_most(
    std::vector<FleetNode>& nodes,
    const std::function<std::string(const FleetNode& one, const FleetNode& most)>& differs) {
  const FleetNode* most = nullptr;
  std::size_t party = 0;
  for (const FleetNode& candidate : nodes) {
    if (!candidate.lost.empty()) continue;
    const auto agrees = [&](const FleetNode& other) {
      return other.lost.empty() && differs(other, candidate).empty();
    };
    const auto size = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), agrees));
    if (size > party) most = &candidate;
    party = std::max(party, size);
  }
  for (FleetNode& node : nodes) {
    if (!most || !node.lost.empty()) continue;
    node.lost = differs(node, *most);
    const auto slower = std::count_if(node.rows.begin(), node.rows.end(), [](const auto& row) {
      return row.second.verdict == Verdict::slower;
    });
    if (!node.lost.empty() && slower > 0)
      node.lost += fmt::format("; its own gate found {} slower",
                               counted(static_cast<std::size_t>(slower), "rows"));
  }
}

/// The commit that a node was compared with; empty where none is known.
std::string base_of(const FleetNode& node) {
  const json::json_pointer commit("/commits/base/commit");
  if (!node.provenance.contains(commit) || !node.provenance.at(commit).is_string()) return "";
  return node.provenance.at(commit).get<std::string>();
}

/// By the commits, however `--base` spelled them or the folders of baselines are called.
bool compared_alike(const FleetNode& one, const FleetNode& most) {
  const std::string base = base_of(one), other = base_of(most);
  const bool known = !base.empty() && !other.empty();
  return one.mode == most.mode && (known ? base == other : one.against == most.against);
}

std::string other_run(const FleetNode& one, const FleetNode& most) {
  if (one.revision != most.revision)
    return fmt::format("it ran build {}; others ran {}", one.revision.substr(0, 12),
                       most.revision.substr(0, 12));
  if (!compared_alike(one, most))
    return fmt::format("it was compared with {} ({}); others with {} ({})", one.against, one.mode,
                       most.against, most.mode);
  for (const auto& [name, row] : one.rows) {
    const auto other = most.rows.find(name);
    if (other == most.rows.end() || row.work.empty() || other->second.work.empty()) continue;
    if (row.work != other->second.work)
      return fmt::format("its build executes other code in {} than on others", name);
  }
  return "";
}

std::string other_kind(const FleetNode& one, const FleetNode& most) {
  if (one.fingerprint.fields.empty()) return "";  // nothing was measured: its rows say why
  const auto fields = most.fingerprint.differences(one.fingerprint, Device::both);
  if (fields.empty()) return "";
  return fmt::format("it is another kind of machine: {} is {}; on others {}", fields.front().field,
                     fields.front().here, fields.front().stored);
}

}  // namespace

std::vector<FleetNode> read_nodes(const std::vector<fs::path>& folders, const fs::path& results,
                                  std::string& note) {
  std::vector<FleetNode> nodes;
  std::set<fs::path> seen;
  std::set<std::string> names;
  for (const fs::path& given : folders) {
    for (const fs::path& folder : node_folders(plain(given), plain(results), note)) {
      if (!seen.insert(folder).second)
        throw Error(
            fmt::format("the folder {} is given twice; give each node once", folder.string()));
      nodes.push_back(node_in(folder));
      if (!names.insert(nodes.back().name).second)
        throw Error(
            fmt::format("two folders are called {}; give each node's folder a name of its own",
                        nodes.back().name));
    }
  }
  return nodes;
}

void settle_on_one_kind(std::vector<FleetNode>& nodes) {
  std::map<std::string, std::string> runs;  // by what no two runs share
  for (FleetNode& node : nodes) {
    if (!node.lost.empty()) continue;
    std::string figures = node.began;
    for (const auto& [name, row] : node.rows) figures += fmt::format("\n{}", row.throughput);
    const auto [first, fresh] = runs.emplace(figures, node.name);
    if (!fresh) node.lost = "it holds the same run as " + first->second;
  }
  keep_most(nodes, other_run);
  keep_most(nodes, other_kind);
}

}  // namespace ratchet::gate
