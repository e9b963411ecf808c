// Pictures of a family that no table declares: of its data layouts, say.
//
// A family registers its own, from correctness/<family>/, at namespace scope:
//   const report::PictureRegistration registered{"life", "layouts", &layouts};
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::report {

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
