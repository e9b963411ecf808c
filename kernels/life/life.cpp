#include "kernels/life/life.h"

#include <limits>

#include "kernels/life/pattern/pattern_file.h"
#include "kernels/support/error.h"

namespace ratchet::life {

std::unique_ptr<Instance> LifeStage::prepare(const Parameters& parameters) const {
  return prepare_universe(
      parameters, soup(parameters.at("width"), parameters.at("height"), parameters.at("seed"),
                       static_cast<unsigned>(parameters.at("density"))));
}

std::unique_ptr<Instance> LifeStage::prepare_input(const Parameters& parameters,
                                                   const std::filesystem::path& file) const {
  const Grid pattern = read_pattern(file);
  const std::uint64_t width = parameters.at("width"), height = parameters.at("height");
  if (pattern.width() > width || pattern.height() > height)
    throw Error(file.string() + ": the pattern has " + std::to_string(pattern.width()) + " x " +
                std::to_string(pattern.height()) + " cells, " + info().name + " would run " +
                std::to_string(width) + " x " + std::to_string(height) +
                "; set a larger width and height");
  return prepare_universe(parameters, placed(pattern, width, height, (width - pattern.width()) / 2,
                                             (height - pattern.height()) / 2));
}

std::unique_ptr<Universe> LifeStage::prepare_universe(const Parameters& parameters,
                                                      const Grid& start) const {
  if (start.width() != parameters.at("width") || start.height() != parameters.at("height"))
    throw Error(info().name + ": a start of " + std::to_string(start.width()) + " x " +
                std::to_string(start.height()) + " cells for a universe of " +
                std::to_string(parameters.at("width")) + " x " +
                std::to_string(parameters.at("height")));
  return make_universe(parameters, start);
}

std::vector<Parameter> common_parameters(std::uint64_t side, std::uint64_t steps) {
  return {{"width", side, 1, kMaxSide, "cells in a row"},
          {"height", side, 1, kMaxSide, "rows of cells"},
          {"steps", steps, 1, kMaxSteps, "generations in one run"},
          {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of the random start"},
          {"density", 128, 0, 256, "live cells at the start, in 256ths"}};
}

Parameter torus_parameter() {
  return {"torus", 0, 0, 1, "1 joins opposite sides; 0: the outside is dead"};
}

Edge edge_of(const Parameters& parameters) {
  return parameters.has("torus") && parameters.at("torus") == 1 ? Edge::torus : Edge::dead;
}

std::uint64_t cell_updates(const Parameters& parameters) {
  return parameters.at("width") * parameters.at("height") * parameters.at("steps");
}

StageInfo life_stage_info(std::string name, Backend backend, std::string summary,
                          std::string section, Limit limit, std::vector<Parameter> parameters) {
  StageInfo info;
  info.name = std::move(name);
  info.backend = backend;
  info.summary = std::move(summary);
  info.source = section == "ratchet" ? "ratchet" : "004_ccdda7b59a2f5804.txt, \"" + section + "\"";
  info.unit = "cell updates";
  info.limit = std::move(limit);
  info.parameters = std::move(parameters);
  return info;
}

}  // namespace ratchet::life
