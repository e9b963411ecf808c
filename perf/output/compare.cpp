#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <set>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/accept.h"
#include "perf/output/delivery.h"
#include "perf/output/files/formats.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_files.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/output/page/sections.h"
#include "perf/support/clock.h"
#include "perf/support/json_file.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

std::string side_note(const MeasuredSide& side) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  std::size_t most = 0;
  for (const auto& [name, row] : side.measured.rows) {
    least = std::min(least, row.launches.size());
    most = std::max(most, row.launches.size());
  }
  const std::string launches = most == 0 ? "no launches"
                               : least == most
                                   ? counted(most, "launches") + " a row"
                                   : fmt::format("{} to {} launches a row", least, most);
  return fmt::format("{}: {}, {}.\n", side.name, launches, counted(side.files, "files"));
}

/// What a reader of the table must know: the source of the figures, and the unchecked rows.
std::string note(const MeasuredSide& a, const MeasuredSide& b, const CompareOptions& options) {
  std::string text = side_note(a) + side_note(b);
  std::map<std::string, int> bases;
  for (const auto& [name, row] : b.measured.rows)  // a figure is no throughput, and has its unit
    if (!figure_kind(row.basis)) ++bases[basis_text(row.basis)];
  std::string parts;
  for (const auto& [basis, rows] : bases)
    parts += fmt::format("{}{} ({})", parts.empty() ? "" : ", ", basis, counted(rows, "rows"));
  if (!parts.empty()) text += "Throughput is " + parts + ".\n";
  std::set<RowId> unchecked = a.unchecked;
  unchecked.insert(b.unchecked.begin(), b.unchecked.end());
  if (!unchecked.empty())
    text += fmt::format("Unchecked: no test covers what {} compute{}.\n",
                        counted(unchecked.size(), "rows"), unchecked.size() == 1 ? "s" : "");
  std::set<std::string> others = a.not_judged;
  others.insert(b.not_judged.begin(), b.not_judged.end());
  if (!others.empty())
    text +=
        fmt::format("Not judged: {}; rows are compared by their times.\n", fmt::join(others, ", "));
  if (options.repetitions_are_launches)
    text +=
        "Repetitions of one process count as launches: the intervals lack the differences between "
        "launches, so false alarms are more frequent than stated.\n";
  for (const std::string& line :
       machine_differences(a.measured.context, b.measured.context, "A", "B"))
    text += "Across machines: " + line + ".\n";
  return text;
}

/// The measurements in a form that readers of results accept. A third-party file may hold rows with
/// invalid names or with reported errors: this drops their launches and keeps their verdicts. If
/// the launches of a row disagree on the work of a call, none of them states it.
Measurements readable(const Measurements& measured) {
  Measurements left = measured;
  std::erase_if(left.rows, [](const auto& row) {
    const auto& launches = row.second.launches;
    return complaint_of_name(row.first) ||
           std::any_of(launches.begin(), launches.end(), complaint_of_third_party);
  });
  for (auto& [name, row] : left.rows) {
    const auto units = row.launches.front().counter(counter::units);
    const auto agrees = [&](const Launch& launch) {
      return launch.counter(counter::units) == units;
    };
    if (std::all_of(row.launches.begin(), row.launches.end(), agrees)) continue;
    for (Launch& launch : row.launches) launch.counters.erase(counter::units);
  }
  return left;
}

/// The content of compare.json.
Measurements left_results(const MeasuredSide& b, const std::vector<RowReport>& reports,
                          const CompareOptions& options, const std::string& remarks) {
  Measurements left = results(readable(b.measured), reports, "unknown");
  left.context.erase("host_name");  // private, as in the gate's results
  left.context.erase("executable");
  nlohmann::json basis = nlohmann::json::object();
  for (const auto& [name, row] : b.measured.rows) basis[name] = basis_text(row.basis);
  left.context["ratchet"]["throughput"] = basis;
  left.context["ratchet"]["run"] = {
      {"began", utc_now()},
      {"mode", "files"},
      {"exit_code", static_cast<int>(exit_code(reports, options.policy))},
      {"against", options.a + " against " + options.b},
      {"note", printable_lines(remarks)}};
  return left;
}

/// Writes them, and returns what they hold.
report::KeptRun write_results(const MeasuredSide& a, const MeasuredSide& b,
                              const std::vector<RowReport>& reports, const CompareOptions& options,
                              const std::string& remarks) {
  Measurements left = left_results(b, reports, options, remarks);
  write_atomically(options.results / "compare.json", to_text(left));
  write_atomically(options.results / "summary.md",
                   markdown_summary(reports, options.policy, remarks));
  const std::set<RowId> rows = common_rows(a.measured, b.measured);
  write_atomically(options.results / "compare_base.json",
                   pretty(launches_json(a.measured, rows), 2) + "\n");
  write_atomically(options.results / "compare_new.json",
                   pretty(launches_json(b.measured, rows), 2) + "\n");
  report::KeptRun kept{options.results / "compare.json", std::move(left)};
  for (const RowId& name : rows) {
    const auto [before, now] = on_one_clock(a.measured.rows.at(name), b.measured.rows.at(name));
    kept.base[name] = before;
    kept.now[name] = now;
  }
  return kept;
}

}  // namespace

ExitCode run_compare(const CompareOptions& options, std::ostream& out) {
  const MeasuredSide a = read_side("A", options.a, options);
  const MeasuredSide b = read_side("B", options.b, options);
  require_one_machine(a, b, options.across_machines);
  require_metrics(a, b, options);
  const std::vector<RowReport> reports = compare_sides(a, b, options);
  if (reports.empty()) {
    std::set<RowId> names;
    for (const MeasuredSide* side : {&a, &b})
      for (const auto& [name, row] : side->measured.rows) names.insert(name);
    throw Error(
        options.filter.empty()
            ? fmt::format("neither {} nor {} has a row to compare; measure again, or name others",
                          options.a, options.b)
            : "no row of either side matches --filter \"" + options.filter + "\"" +
                  did_you_mean_row(options.filter, names) + "; without it all are compared");
  }
  const std::string remarks = note(a, b, options);
  std::optional<report::KeptRun> kept;
  if (!options.results.empty()) kept = write_results(a, b, reports, options, remarks);
  out << terminal_table(reports, options.display);
  if (!options.display.quiet) out << "\n" << remarks;
  Ending ending(reports);
  out << headline(reports, exit_code(ending, options.policy), options.display.colour) << std::endl;
  if (!options.results.empty() && !options.display.quiet)
    out << "results: " << (options.results / "compare.json").string() << ", "
        << (options.results / "summary.md").string() << std::endl;
  const auto sections = [&] {
    return nlohmann::json::array({report::run_section(*kept, history::no_history)});
  };
  if (kept && !report::leave_report(options.results, sections, options.display.quiet, out))
    ending.loss = true;
  const ExitCode code = exit_code(ending, options.policy);
  if (options.display.json)
    print_verdict(left_results(b, reports, options, remarks).context["ratchet"], reports, code);
  return code;
}

}  // namespace ratchet::gate
