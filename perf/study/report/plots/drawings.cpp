#include "perf/study/report/plots/drawings.h"

#include <optional>
#include <string>

#include "perf/study/report/plots/ladder_plot.h"
#include "perf/study/report/plots/pictures.h"
#include "perf/study/report/plots/plot.h"
#include "perf/study/report/plots/scaling_plot.h"

namespace ratchet::report {

std::vector<vega::Drawing> drawings_of(const Published& published,
                                       const std::vector<Machine>& machines,
                                       const std::filesystem::path& baselines,
                                       const std::filesystem::path& folder) {
  std::vector<vega::Drawing> drawings;
  const auto add = [&](const std::string& id, std::optional<nlohmann::json> spec) {
    if (spec) drawings.push_back({folder / (id + ".svg"), std::move(*spec)});
  };
  add("ladder", ladder_spec(published, machines));
  for (const PlotSpec& plot : published.plots)
    add(plot.id, vega_spec(plot, plot_series(plot, machines, baselines)));
  add("gpus", scaling_spec(gpu_scalings(published.family, machines, baselines)));
  for (const Picture& picture : pictures_of(published.family)) add(picture.id, picture.spec);
  return drawings;
}

}  // namespace ratchet::report
