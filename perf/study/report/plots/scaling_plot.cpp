#include "perf/study/report/plots/scaling_plot.h"

#include "perf/study/report/plots/plot.h"

namespace ratchet::report {

std::optional<nlohmann::json> scaling_spec(const std::vector<GpuScaling>& scalings) {
  if (scalings.empty()) return std::nullopt;
  PlotSpec plot;
  plot.id = "gpus";
  plot.title = "Speed against the number of GPUs";
  plot.note = "as many times one GPU; hollow: what the model of messages and links expects";
  plot.x = {"GPUs", Scale::binary};
  plot.y = {"times one GPU", Scale::decimal};
  std::vector<PlotSeries> all;
  for (const GpuScaling& scaling : scalings) {
    const std::string label = scaling.weak ? "as much work a GPU" : "the work shared";
    PlotSeries measured{.label = label, .machine = scaling.machine};
    PlotSeries expected{.label = label + ", the model"};
    for (const ScalingPoint& point : scaling.points) {
      if (point.measured) measured.points.push_back({double(point.gpus), *point.measured});
      expected.points.push_back({double(point.gpus), point.predicted});
    }
    all.push_back(std::move(measured));
    all.push_back(std::move(expected));
  }
  return vega_spec(plot, all);
}

}  // namespace ratchet::report
