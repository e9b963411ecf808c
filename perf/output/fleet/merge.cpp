#include "perf/output/fleet/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <sstream>

#include "kernels/contract/counted.h"
#include "kernels/contract/row_filter.h"
#include "perf/gate/fleet/fleet_rule.h"
#include "perf/output/files/formats.h"
#include "perf/output/files/output_files.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/support/clock.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;

/// The fleet, judged.
struct Merged {
  std::vector<FleetNode> nodes;
  std::size_t asked = 0;
  FleetVerdict verdict;
  std::string note;
  std::string lost;  ///< Outcome::lost
  Ending ending;

  std::size_t judged() const {
    return static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [](const FleetNode& node) { return node.lost.empty(); }));
  }
  bool partial() const { return judged() < asked; }
  const FleetNode& first() const {
    return *std::find_if(nodes.begin(), nodes.end(),
                         [](const FleetNode& node) { return node.lost.empty(); });
  }
};

void select(std::vector<FleetNode>& nodes, const std::string& filter) {
  std::set<RowId> names;
  for (const FleetNode& node : nodes)
    for (const auto& [name, row] : node.rows) names.insert(name);
  const std::set<RowId> chosen = select_rows(names, filter);
  if (chosen.empty())
    throw Error("no row of any node matches filter \"" + filter + "\"" +
                did_you_mean_row(filter, names));
  for (FleetNode& node : nodes)
    std::erase_if(node.rows, [&](const auto& row) { return !chosen.count(row.first); });
}

std::string odd_line(const std::string& node, const std::vector<OddNode>& odd) {
  const OddNode& worst =
      *std::max_element(odd.begin(), odd.end(), [](const OddNode& a, const OddNode& b) {
        return std::abs(std::log(a.ratio / a.typical)) < std::abs(std::log(b.ratio / b.typical));
      });
  const std::string what = worst.row.empty() ? "rows of identical work" : worst.row;
  const std::string more =
      odd.size() > 1 ? fmt::format(", and {} more", odd.size() - 1) : std::string();
  return fmt::format("node {} differs: {} ran {:+.1f} % from the median of the nodes{}", node, what,
                     (worst.ratio / worst.typical - 1) * 100, more);
}

/// One line for every lost or differing node.
std::string note_of(const Merged& merged) {
  std::string text;
  for (const FleetNode& node : merged.nodes)
    if (!node.lost.empty())
      text += fmt::format("node {} is left out: {}\n", node.name, printable(node.lost, 300));
  if (merged.asked > merged.nodes.size())
    text += fmt::format("{} of {} nodes left no folder\n", merged.asked - merged.nodes.size(),
                        merged.asked);
  for (const std::string& note : merged.verdict.notes) text += note + "\n";
  for (const auto& [node, odd] : merged.verdict.odd) text += odd_line(node, odd) + "\n";
  return text;
}

json node_json(const FleetNode& node, const FleetVerdict& verdict) {
  json entry = {{"name", node.name}, {"judged", node.lost.empty()}};
  if (!node.lost.empty()) entry["why"] = printable(node.lost, 300);
  if (!node.began.empty()) entry["began"] = node.began;
  if (const auto odd = verdict.odd.find(node.name); odd != verdict.odd.end())
    for (const OddNode& each : odd->second)
      entry["differs"].push_back({{"row", each.row},
                                  {"ratio", tidy_number(each.ratio)},
                                  {"typical", tidy_number(each.typical)}});
  return entry;
}

json fleet_json(const Merged& merged, const Policy& policy) {
  const FleetNode& first = merged.first();
  json nodes = json::array(), rows = json::object();
  for (const FleetNode& node : merged.nodes) nodes.push_back(node_json(node, merged.verdict));
  for (const RowReport& report : merged.verdict.reports) {
    json& row = rows[report.name] = row_json(report);
    if (report.now.throughput > 0) row["throughput"] = tidy_number(report.now.throughput);
    for (const FleetNode& node : merged.nodes) {
      const auto found = node.rows.find(report.name);
      if (node.lost.empty() && found != node.rows.end() && found->second.ratio)
        row["nodes"][node.name] = tidy_number(*found->second.ratio);
    }
  }
  json fleet = first.provenance;
  fleet.update({{"format", 1},
                {"revision", first.revision},
                {"mode", first.mode},
                {"against", first.against},
                {"machine", first.fingerprint.fields},
                {"began", began(merged.nodes)},
                {"asked", merged.asked},
                {"note", printable_lines(merged.note)},
                {"exit_code", static_cast<int>(exit_code(merged.ending, policy))},
                {"nodes", nodes},
                {"rows", rows}});
  return fleet;
}

void write(const Merged& merged, const MergeOptions& options) {
  write_atomically(options.results / "fleet.json",
                   pretty(fleet_json(merged, options.policy), 3) + "\n");
  write_atomically(options.results / "summary.md",
                   markdown_summary(merged.verdict.reports, options.policy, merged.note,
                                    exit_code(merged.ending, options.policy)));
  write_atomically(options.results / "junit.xml",
                   junit_xml(merged.verdict.reports, options.policy, merged.lost));
}

/// As Delivery::deliver does: the files state the exit code, so they are written again where the
/// history takes nothing.
void keep(Merged& merged, const std::string& history, const MergeOptions& options,
          std::ostream& out) {
  try {
    write(merged, options);
    if (!options.display.quiet)
      out << fmt::format("results in {}: fleet.json, summary.md, junit.xml",
                         options.results.string())
          << std::endl;
  } catch (const Error& error) {
    merged.lost = std::string("the results could not be written: ") + error.what();
    out << merged.lost << std::endl;
    merged.ending.loss = true;
  }
  const ExitCode found = exit_code(merged.ending, options.policy);
  Ending lost = merged.ending;
  lost.loss = true;
  std::ostringstream said;
  const bool kept =
      history::keep(history, fleet_record(merged.nodes, merged.verdict.reports, found),
                    options.results, exit_code(lost, options.policy), said);
  out << said.str() << std::flush;
  if (kept) return;
  const bool files = merged.lost.empty();
  merged.lost = said.str();
  merged.note += said.str();
  merged.ending = lost;
  if (files) try {
      write(merged, options);
    } catch (const Error& error) {
      out << "the results could not be written again: " << error.what() << "\n";
    }
}

Merged judged(const MergeOptions& options) {
  Merged merged;
  std::string note;
  merged.nodes = read_nodes(options.folders, options.results, note);
  settle_on_one_kind(merged.nodes);
  merged.asked = std::max(options.nodes, merged.nodes.size());
  if (merged.judged() == 0) {
    std::string why;
    for (const FleetNode& node : merged.nodes)
      why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", node.name, node.lost);
    throw Error(
        fmt::format("none of {} left usable results: {}", counted(merged.asked, "nodes"), why));
  }
  select(merged.nodes, options.filter);
  std::set<RowId> names;
  for (const auto& [name, row] : merged.first().rows) names.insert(name);
  merged.verdict =
      judge_fleet(merged.nodes, merged.asked, tolerances_for(options.tolerances, names));
  merged.note = note + note_of(merged);
  merged.ending = Ending(merged.verdict.reports);
  merged.ending.nodes_lost = merged.partial();
  return merged;
}

}  // namespace

ExitCode run_merge(const MergeOptions& options, std::ostream& out, std::ostream& progress) {
  const FolderLock lock(options.results, "measuring");
  require_writable(options.results);
  const std::string history = history::location_or_default(options.history, options.results);
  history::require_usable(history, progress);
  Merged merged;
  run_into(options.results, [&] {
    merged = judged(options);
    return ExitCode::pass;
  });
  out << terminal_table(merged.verdict.reports, options.display) << merged.note << std::flush;
  keep(merged, history, options, out);
  Outcome outcome;
  outcome.reports = merged.verdict.reports;
  outcome.policy = options.policy;
  outcome.note = merged.note;
  outcome.lost = merged.lost;
  tell_github(outcome, out, progress);
  const auto sections = [&] {
    return json::array({report::fleet_section(fleet_json(merged, options.policy),
                                              (options.results / "fleet.json").string(), history)});
  };
  if (!report::leave_report(options.results, sections, options.display.quiet, out))
    merged.ending.loss = true;
  const ExitCode code = exit_code(merged.ending, options.policy);
  out << fmt::format("{}: {} of {} ({}); {}", merged.partial() ? "PARTIAL" : "FLEET",
                     merged.judged(), counted(merged.asked, "nodes"),
                     merged.first().fingerprint.machine_slug(Device::both),
                     headline(merged.verdict.reports, code, options.display.colour))
      << std::endl;
  if (options.display.json)
    print_verdict(fleet_json(merged, options.policy), merged.verdict.reports, code);
  return code;
}

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
      found.basis = row.basis;
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
  run.commit = history::commit_of({{"run", first.provenance}});
  if (const std::string time = began(nodes); !time.empty()) run.time = time;
  run.id = id_of(nodes, run);
  return run;
}

}  // namespace ratchet::gate
