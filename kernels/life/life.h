// The life family: Conway's Game of Life on a rectangle, as many generations as asked for.
//
// Source: Dijkstra and Brouwer, "Game of Life: How a nerdsnipe led to a fast
// implementation of game of life" (https://github.com/binary-banter/fast-game-of-life). Unit of
// work: cell updates, width x height x generations: cells of the universe only, however many a
// kernel computes besides (halos, padding).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/life/grid/grid.h"
#include "kernels/contract/stage.h"

namespace ratchet::life {

inline constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 20;

/// What lies beyond the border: cells that are dead for ever, or the opposite side.
enum class Edge { dead, torus };

/// A prepared life stage. Each run() advances the universe by parameters.at("steps") generations
/// from where it stands; reset() brings back the start where a stage's speed depends on it, and
/// changes nothing otherwise.
class Universe : public Instance {
 public:
  /// The universe as the last run() left it. Waits for it.
  virtual Grid collect() = 0;
};

/// What a family's stage adds to the contract.
class LifeStage : public Stage {
 public:
  using Stage::Stage;
  /// Starts from soup(width, height, seed, density).
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const override;
  /// Starts from the pattern in `file` (RLE or plaintext), in the middle of the universe.
  std::unique_ptr<Instance> prepare_input(const Parameters& parameters,
                                          const std::string& file) const final;
  /// Starts from `start`, whose sides must be parameters.at("width") and ("height"); Error
  /// otherwise. The stage is free to allocate and rearrange here; none of it is timed.
  std::unique_ptr<Universe> prepare_universe(const Parameters& parameters, const Grid& start) const;

 protected:
  /// prepare_universe after its check of the sides.
  virtual std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                                  const Grid& start) const = 0;
};

/// The parameters every life stage has, width, height, steps, seed and density, then those of its
/// own. Defaults of the benchmark: a square of `side` cells, `steps` generations.
std::vector<Parameter> common_parameters(std::uint64_t side, std::uint64_t steps,
                                         const std::vector<Parameter>& own = {});

/// For stages that offer a torus: the parameter "torus", 0 (dead border, the default) or 1.
Parameter torus_parameter();
/// The edge that the parameters ask for; dead where the stage has no parameter "torus".
Edge edge_of(const Parameters& parameters);

/// Cell updates of one run().
std::uint64_t cell_updates(const Parameters& parameters);

/// Points of a survey: squares of these sides, with `more` set besides.
std::vector<ParameterPoint> squares(const std::vector<std::uint64_t>& sides,
                                    const ParameterPoint& more = {});

/// StageInfo::source for an idea of the text: the document and the section's heading.
std::string text(const std::string& section);

/// `info` with what all life stages state alike filled in: backend, unit, size, sanitizer run.
StageInfo stage_info(StageInfo info);

}  // namespace ratchet::life
