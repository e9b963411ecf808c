#include "perf/study/report/family_section.h"

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/study/report/tables.h"

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
  return {{"kind", "tables"},
          {"title", published.family},
          {"page", "family-" + published.family},
          {"summary", published.about.problem},
          {"facts", facts},
          {"ladders", ladders_model(published, machines)},
          {"tables", family_tables(published, machines)},
          {"plots", plots_model(published, machines, baselines)},
          {"themes",
           {{"light", vega::config(vega::Theme::light)},
            {"dark", vega::config(vega::Theme::dark)}}}};
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
