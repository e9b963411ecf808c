#include "perf/study/report/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/cells.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/study/report/plots/drawings.h"

namespace ratchet::report {
namespace {

/// How many times the throughput of the text's last stage of the same backend this row reaches.
std::string ratio_cell(const Published& published, const Machine& machine, const RowId& row) {
  for (const auto& [backend, last] : published.last_stage) {
    if (row.backend() != backend) continue;
    const auto reference = machine.throughput(last);
    const auto reached = machine.throughput(row);
    if (reference && reached)
      return fmt::format("{:.2f}x of {}", *reached / *reference, stage_cell(published, last));
  }
  return "-";
}

/// Points of a sweep that stand for nothing but themselves belong to the sweep's own table or plot.
bool is_only_swept(const Machine& machine, const RowId& row) {
  return machine.only_swept.count(row) && machine.row_of(row.stage()) != row;
}

std::string beyond_table(const Published& published, const std::vector<Machine>& machines) {
  std::set<std::string> known = published.stages();
  for (const std::string& stage : published.beyond) known.erase(stage);
  Table table({"stage", "machine", published.rate ? published.rate->label : "time",
               "throughput against the article's last stage"});
  bool any = false;
  for (const Machine& machine : machines) {
    for (const auto& [name, row] : machine.content.rows) {
      if (known.count(name.stage()) || is_only_swept(machine, name)) continue;
      table.add({stage_cell(published, name), machine.name, speed_cell(published, machine, name),
                 ratio_cell(published, machine, name)});
      any = true;
    }
  }
  return any ? "### Beyond the article\n\n" + table.text() + "\n" : "";
}

std::string introduction(const Published& published) {
  const std::string measured =
      "median throughput of all stored launches; in brackets the share of the hardware limit "
      "reached.";
  if (published.rate)
    return fmt::format("Figures are {}. Measured ones are the {}", published.rate->label, measured);
  return fmt::format("Times are for {}. Measured ones are scaled from the {}",
                     published.scale_label, measured);
}

}  // namespace

std::string family_tables(const Published& published, const std::vector<Machine>& machines) {
  std::string text =
      fmt::format("## {}: \"{}\" ({}, {})\n\n{}\n\n", published.family, published.title,
                  published.author, published.source, introduction(published));
  if (machines.empty()) text += "No machine has stored figures of this family yet.\n\n";
  for (const PublishedTable& table : published.tables)
    text += table_text(published, table, machines) + "\n";
  text += beyond_table(published, machines);
  for (const Machine& machine : machines)
    if (const std::string table = stage_by_stage(published, machine); !table.empty())
      text += fmt::format("### Stage by stage on {}\n\n{}\n", machine.name, table);
  return text;
}

namespace {

using nlohmann::json;

json ladders_model(const Published& published, const std::vector<Machine>& machines) {
  json ladders = json::array();
  for (const Machine& machine : machines)
    if (const std::string table = ladder(published, machine); !table.empty())
      ladders.push_back({{"machine", machine.name}, {"table", table}});
  return ladders;
}

/// What the READMEs show as pictures; the page draws it.
json plots_model(const Published& published, const std::vector<Machine>& machines,
                 const std::filesystem::path& baselines) {
  json plots = json::array();
  for (vega::Drawing& drawing : drawings_of(published, machines, baselines, "")) {
    json spec = std::move(drawing.spec);
    plots.push_back({{"title", spec.at("title").at("text")}});
    spec.erase("title");  // the page has it as a heading
    plots.back()["spec"] = std::move(spec);
  }
  return plots;
}

json family_section(const Published& published, const std::filesystem::path& baselines) {
  const std::vector<Machine> machines = machines_with(published.family, baselines, {});
  json facts = json::array();
  facts.push_back({"problem", published.about.problem});
  facts.push_back({"work counted", published.about.work});
  facts.push_back({"right means", published.about.right});
  return {
      {"kind", "tables"},
      {"title", published.family},
      {"page", "family-" + published.family},
      {"summary", published.about.problem},
      {"facts", facts},
      {"ladders", ladders_model(published, machines)},
      {"tables", family_tables(published, machines)},
      {"plots", plots_model(published, machines, baselines)},
      {"themes",
       {{"light", vega::config(vega::Theme::light)}, {"dark", vega::config(vega::Theme::dark)}}}};
}

}  // namespace

json family_sections(const std::filesystem::path& baselines) {
  json sections = json::array();
  if (!std::filesystem::is_directory(baselines / "published")) return sections;
  for (const Published& published : read_all_published(baselines / "published"))
    sections.push_back(family_section(published, baselines));
  return sections;
}

}  // namespace ratchet::report
