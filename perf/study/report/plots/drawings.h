// All that is drawn of a family: its ladder, the plots that its published figures declare, and the
// pictures that it registers.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/output/drawing/vega.h"
#include "perf/study/report/figures/gpu_scaling.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// Those that have anything to show, as files of `folder`, "ladder.svg" first. `baselines` as for
/// plot_series(), which says what is thrown.
std::vector<vega::Drawing> drawings_of(const Published& published,
                                       const std::vector<Machine>& machines,
                                       const std::filesystem::path& baselines,
                                       const std::filesystem::path& folder);

/// A Vega-Lite specification without a theme (perf/output/drawing/vega.h): a line a stage, a panel a
/// backend, speed on a logarithmic axis. Nothing where no stage has a figure. Each datum is one
/// figure: "stage", "backend", "of" (a machine, or "published"), "speed" in units of work a second,
/// or as published.rate has it, and "at": where it was taken, unless that is the stage's own point:
/// "photons:134217728", "12 threads".
std::optional<nlohmann::json> ladder_spec(const Published& published,
                                          const std::vector<Machine>& machines);

/// Measured points on the model's curves, as a Vega-Lite specification. Nothing of none.
std::optional<nlohmann::json> scaling_spec(const std::vector<GpuScaling>& scalings);

// Pictures of a family that no table declares: of its data layouts, say.
//
// A family registers its own, from correctness/<family>/, at namespace scope:
//   const report::PictureRegistration registered{"life", "layouts", &layouts};

struct Picture {
  std::string id;       ///< part of the file's name, as PlotSpec::id
  nlohmann::json spec;  ///< Vega-Lite, without a theme (perf/output/drawing/vega.h)
};

/// The pictures of a family, by id; none for most. They hold no figures that were
/// measured.
std::vector<Picture> pictures_of(const std::string& family);

class PictureRegistration {
 public:
  /// `draw` returns the same specification at every call.
  PictureRegistration(std::string family, std::string id, nlohmann::json (*draw)());
};

}  // namespace ratchet::report
