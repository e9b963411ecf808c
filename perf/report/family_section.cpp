#include "perf/report/family_section.h"

#include "perf/report/machines.h"
#include "perf/report/published.h"
#include "perf/report/tables.h"

namespace ratchet::report {
namespace {

using nlohmann::json;

json ladders_model(const Published& published, const std::vector<Machine>& machines) {
  json ladders = json::array();
  for (const Machine& machine : machines)
    if (const std::string table = ladder(published, machine); !table.empty())
      ladders.push_back({{"machine", machine.name}, {"table", table}});
  return ladders;
}

/// The plots that the page draws beside the tables, as Vega-Lite specifications: [{"title",
/// "spec"}]. Every specification of the family's PlotSpecs belongs here; there is none yet that is
/// no SVG.
json plots_model(const Published&, const std::vector<Machine>&) { return json::array(); }

json family_section(const Published& published, const std::filesystem::path& baselines) {
  const std::vector<Machine> machines = machines_with(published.family, baselines, {});
  json facts = json::array();
  facts.push_back({"problem", published.about.problem});
  facts.push_back({"work counted", published.about.work});
  facts.push_back({"right means", published.about.right});
  return {{"kind", "tables"},
          {"title", published.family},
          {"page", "family-" + published.family},
          {"summary", published.about.problem},
          {"facts", facts},
          {"ladders", ladders_model(published, machines)},
          {"tables", family_tables(published, machines)},
          {"plots", plots_model(published, machines)}};
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
