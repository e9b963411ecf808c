#include "perf/study/report/tables.h"

#include <fmt/format.h>

#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/cells.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {
namespace {

/// The row of the text's best stage that this one is compared with: of the same problem and
/// backend, on a CPU with as many threads. "" where there is none.
RowId counterpart(const Published& published, const Machine& machine, const RowId& row) {
  if (published.other_problem.contains(row.stage())) return "";
  const int threads = machine.threads_of(row);
  std::string key(row.backend());
  const std::string alone = key + ", one thread";
  if (threads == 1 && published.best_stage.contains(alone)) key = alone;
  const auto best = published.best_stage.find(key);
  if (best == published.best_stage.end()) return "";
  return row.device() == Device::cpu ? machine.row_with_threads(best->second, threads)
                                     : RowId(best->second);
}

/// How many times the throughput of its counterpart this row reaches.
std::string ratio_cell(const Published& published, const Machine& machine, const RowId& row) {
  const RowId best = counterpart(published, machine, row);
  const auto reference = machine.throughput(best), reached = machine.throughput(row);
  if (!reference || !reached) return "-";
  return fmt::format("{:.2f}x of {}", *reached / *reference, stage_cell(published, best));
}

/// Points of a sweep that stand for nothing but themselves belong to the sweep's own table or plot.
bool is_only_swept(const Machine& machine, const RowId& row) {
  return machine.only_swept.count(row) && machine.row_of(row.stage()) != row;
}

Document beyond_table(const Published& published, const std::vector<Machine>& machines) {
  std::set<std::string> known = published.stages();
  for (const std::string& stage : published.beyond) known.erase(stage);
  Table table({"stage", "machine", published.rate ? published.rate->label : "time",
               "throughput against the article's best stage"});
  bool any = false;
  for (const Machine& machine : machines) {
    for (const auto& [name, row] : machine.content.rows) {
      if (known.count(name.stage()) || is_only_swept(machine, name)) continue;
      table.add({stage_cell(published, name), machine.name, speed_cell(published, machine, name),
                 ratio_cell(published, machine, name)});
      any = true;
    }
  }
  if (!any) return {};
  return {{"### ", "Beyond the article"},
          table.block(),
          {"",
           "On a CPU the article's best stage has as many threads as the row. \"-\": the article "
           "has no such stage, or another problem."}};
}

/// The machine of this GPU's CPUs, where it has figures of its own.
const Machine* host_of(const Machine& gpu, const std::vector<Machine>& machines) {
  if (!gpu.content.context.contains("gpu.model")) return nullptr;
  const std::string cpus = gpu.content.fingerprint().machine_slug(Device::cpu);
  for (const Machine& machine : machines)
    if (machine.name == cpus && machine.name != gpu.name) return &machine;
  return nullptr;
}

Document filled_cells(const Published& published, const std::vector<Machine>& machines) {
  std::string text;
  for (const Machine& machine : machines) {
    std::vector<MeasuredCell> cells = measured_cells(published, machine);
    text += fmt::format("{}{} {}",
                        text.empty() ? "Cells of the article's tables that are filled: " : ", ",
                        machine.name, filled(cells));
    const Machine* const host = host_of(machine, machines);
    if (host == nullptr) continue;
    const std::vector<MeasuredCell> of_host = measured_cells(published, *host);
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].text += of_host[i].text;
    text += fmt::format(", with its host {} {}", host->name, filled(cells));
  }
  return text.empty() ? Document{} : Document{{"", text + "."}};
}

}  // namespace

Document introduction(const Published& published, const std::vector<Machine>& machines) {
  const std::string measured =
      "median throughput of all stored launches; in brackets the share of the hardware limit "
      "reached.";
  Document document = {
      {"", published.rate ? fmt::format("Figures are {}. Measured ones are the {}",
                                        published.rate->label, measured)
                          : fmt::format("Times are for {}. Measured ones are scaled from the {}",
                                        published.scale_label, measured)}};
  if (machines.empty())
    document.push_back({"", "No machine has stored figures of this family yet."});
  return document;
}

Document further_tables(const Published& published, const std::vector<Machine>& machines) {
  Document document = filled_cells(published, machines);
  document += beyond_table(published, machines);
  for (const Machine& machine : machines)
    if (Document table = stage_by_stage(published, machine); !table.empty()) {
      document.push_back({"### ", "Stage by stage on " + machine.name});
      document += std::move(table);
    }
  return document;
}

Document family_tables(const Published& published, const std::vector<Machine>& machines) {
  Document document = {{"## ", fmt::format("{}: \"{}\" ({}, {})", published.family, published.title,
                                           published.author, published.source)}};
  document += introduction(published, machines);
  for (const PublishedTable& table : published.tables)
    document += table_text(published, table, machines);
  document += further_tables(published, machines);
  return document;
}

}  // namespace ratchet::report
