#include <fmt/format.h>

#include <map>
#include <optional>

#include "kernels/contract/stage.h"
#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/cells.h"
#include "perf/study/report/figures/plot_spec.h"
#include "perf/study/report/tables.h"

namespace ratchet::report {
namespace {

/// The stages of which the machine measured any row, by name.
std::set<std::string> stages_on(const Machine& machine) {
  std::set<std::string> stages;
  for (const auto& [name, row] : machine.content.rows) stages.insert(name.stage());
  return stages;
}

/// The row that a ladder's speed-ups are over: of the first stage measured at its own defaults. A
/// point that only a sweep has, of a CPU's stage beside a GPU's, say, is no start unless there is
/// nothing else. "" where nothing was measured.
RowId first_rung(const Machine& machine) {
  const std::set<std::string> stages = stages_on(machine);
  for (const std::string& stage : stages)
    if (machine.throughput(stage)) return stage;
  for (const std::string& stage : stages)
    if (const RowId row = machine.row_of(stage); machine.throughput(row)) return row;
  return "";
}

/// All parameters of a row, numbers of threads aside: its stage's defaults, and what its name sets.
Settings point_of(const RowId& row) {
  Settings point;
  const Stage* const stage = find_stage(row.stage());
  if (stage != nullptr)
    for (const Parameter& parameter : stage->info().parameters)
      point[parameter.name] = parameter.value;
  for (const auto& [name, value] : row.settings().value_or(Settings{})) point[name] = value;
  if (stage != nullptr) point.erase(stage->info().threads);
  return point;
}

/// What a row has set otherwise than the first rung, of the parameters that both have. Also what
/// its name sets, whatever the first rung has not.
Settings other_than(const RowId& first_row, const RowId& row) {
  const Settings first = point_of(first_row);
  const Settings named = row.settings().value_or(Settings{});
  Settings other;
  for (const auto& [name, value] : point_of(row)) {
    const auto there = first.find(name);
    if (there == first.end() ? named.contains(name) : there->second != value) other[name] = value;
  }
  return other;
}

/// The first rung's stage at the same point; nothing where that was not measured.
std::optional<double> start_at(const Machine& machine, const RowId& first, const Settings& other) {
  Settings wanted = point_of(first);
  for (const auto& [name, value] : other) wanted[name] = value;
  for (const auto& [name, row] : machine.content.rows)
    if (name.stage() == first.stage() && name.settings() && point_of(name) == wanted)
      return machine.throughput(name);
  return std::nullopt;
}

/// Two decimals, or as many as show two digits.
std::string speed_up(double ratio) {
  return ratio < 0.1 ? fmt::format("{:.2g}x", ratio) : fmt::format("{:.2f}x", ratio);
}

std::string point_text(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

/// How many times the speed of `base` a row has, both at the row's point. In brackets where `base`
/// was not measured there, and stands with its own.
std::string gain_over(const Machine& machine, const RowId& base, const RowId& row) {
  const auto at_this_point = start_at(machine, base, other_than(base, row));
  const std::string gain =
      speed_up(*machine.throughput(row) / at_this_point.value_or(*machine.throughput(base)));
  return at_this_point ? gain : "(" + gain + ")";
}

std::string limit_cell(const Machine& machine, const RowId& row) {
  const auto share = machine.limit_percent(row);
  return share ? fmt::format("{:.0f} %", *share) : "-";
}

/// As gain_over; "-" for the speed of another problem.
std::string gain_cell(const Published& published, const Machine& machine, const RowId& base,
                      const RowId& row) {
  const bool compared = !base.empty() && !published.other_problem.contains(row.stage());
  return compared ? gain_over(machine, base, row) : "-";
}

bool as_printed(const std::string& stage) {
  const Stage* const known = find_stage(stage);
  return known != nullptr && known->info().as_printed;
}

/// The rungs only: sweep points have a table of their own in `ratchet tables`.
Document rungs(const Published& published, const Machine& machine, bool over_first) {
  const RowId first = first_rung(machine);
  if (first.empty()) return {};
  std::vector<std::string> header = {"stage", "at", speed_header(published)};
  if (over_first)
    header.insert(header.end(), {"speed-up", "of the limit"});
  else
    header.insert(header.end(), {"of the limit", "over the stage before"});
  Table table(header);
  std::map<Backend, RowId> before, alone;  // its row; that of one thread
  bool bracketed = false;
  for (const std::string& stage : stages_on(machine)) {
    const RowId row = machine.row_of(stage);
    const auto throughput = machine.throughput(row);
    if (!throughput) continue;
    RowId& base = before[backend_of(stage)];
    RowId& single = alone[backend_of(stage)];
    const bool one = machine.threads_of(row) == 1;
    const RowId& of = over_first ? first : one && !single.empty() ? single : base;
    std::string limit = limit_cell(machine, row), gain = gain_cell(published, machine, of, row);
    bracketed |= gain[0] == '(';
    if (over_first) std::swap(limit, gain);
    table.add({stage_cell(published, stage), point_text(other_than(first, row)),
               format_speed(published, *throughput), limit, gain});
    // Wrong code is no measure for the right one that follows, unless there is nothing else;
    // another problem is none, either.
    if (published.other_problem.contains(stage)) continue;
    if (!base.empty() && as_printed(stage) && !as_printed(base.stage())) continue;
    base = row;
    if (one) single = row;
  }
  Document document = {table.block()};
  if (bracketed)
    document.push_back({"", fmt::format("In brackets: the {} was not measured at that point; its "
                                        "own point is used.",
                                        over_first ? "first stage" : "stage before")});
  return document;
}

}  // namespace

Document stage_by_stage(const Published& published, const Machine& machine) {
  return rungs(published, machine, false);
}

Document ladder(const Published& published, const Machine& machine) {
  return rungs(published, machine, true);
}

}  // namespace ratchet::report
