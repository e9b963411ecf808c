#include "kernels/life/life.h"

#include <limits>

#include "kernels/life/pattern/pattern_file.h"
#include "perf/support/error.h"

namespace ratchet::life {

std::unique_ptr<Instance> LifeStage::prepare(const Parameters& parameters) const {
  return prepare_universe(
      parameters, soup(parameters.at("width"), parameters.at("height"), parameters.at("seed"),
                       static_cast<unsigned>(parameters.at("density"))));
}

std::unique_ptr<Instance> LifeStage::prepare_input(const Parameters& parameters,
                                                   const std::string& file) const {
  const Grid pattern = read_pattern(file);
  const std::uint64_t width = parameters.at("width"), height = parameters.at("height");
  if (pattern.width() > width || pattern.height() > height)
    throw Error(file + ": the pattern has " + std::to_string(pattern.width()) + " x " +
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

std::vector<Parameter> common_parameters(std::uint64_t side, std::uint64_t steps,
                                         const std::vector<Parameter>& own) {
  return joined<Parameter>(
      {{"width", side, 1, kMaxSide, "cells in a row"},
       {"height", side, 1, kMaxSide, "rows of cells"},
       {"steps", steps, 1, kMaxSteps, "generations in one run"},
       {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of the random start"},
       {"density", 128, 0, 256, "live cells at the start, in 256ths"}},
      own);
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

std::vector<ParameterPoint> squares(const std::vector<std::uint64_t>& sides,
                                    const ParameterPoint& more) {
  std::vector<ParameterPoint> points;
  for (const std::uint64_t side : sides)
    points.push_back(joined({{"width", side}, {"height", side}}, more));
  return points;
}

std::string text(const std::string& section) {
  return "Dijkstra and Brouwer, Game of Life: How a nerdsnipe led to a fast implementation of game "
         "of life, \"" +
         section + "\"";
}

StageInfo stage_info(StageInfo info) {
  info.backend = backend_of_process(info.name);
  info.unit = "cell updates";
  info.size = "width";
  // No multiple of a word or a tile, and more generations than a kernel makes in one pass.
  info.sanitizer_run = {{"width", 131}, {"height", 67}, {"steps", 33}};
  return info;
}

}  // namespace ratchet::life
