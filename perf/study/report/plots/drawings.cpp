#include "perf/study/report/plots/drawings.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "perf/study/report/plots/plot.h"

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

namespace {

using Draw = nlohmann::json (*)();

// A function-local static, so that registrations of other files find it built whatever the order.
std::map<std::pair<std::string, std::string>, Draw>& drawings() {
  static std::map<std::pair<std::string, std::string>, Draw> by_family_and_id;
  return by_family_and_id;
}

}  // namespace

std::vector<Picture> pictures_of(const std::string& family) {
  std::vector<Picture> pictures;
  for (const auto& [place, draw] : drawings())
    if (place.first == family) pictures.push_back({place.second, draw()});
  return pictures;
}

PictureRegistration::PictureRegistration(std::string family, std::string id, Draw draw) {
  drawings()[{std::move(family), std::move(id)}] = draw;
}

}  // namespace ratchet::report
