#include "correctness/life/checks/checks.h"

#include <bit>

#include "reference/life.h"

namespace ratchet::life {

Grid reference_run(const Grid& start, std::uint64_t generations, Edge edge) {
  reference::life::Universe universe{start.width(), start.height(), {}};
  universe.cells.reserve(start.width() * start.height());
  for (std::uint64_t y = 0; y < start.height(); ++y)
    for (std::uint64_t x = 0; x < start.width(); ++x) universe.cells.push_back(start.at(x, y));
  universe = reference::life::run(
      std::move(universe), generations,
      edge == Edge::torus ? reference::life::Edge::torus : reference::life::Edge::dead);
  Grid end(start.width(), start.height());
  for (std::uint64_t y = 0; y < end.height(); ++y)
    for (std::uint64_t x = 0; x < end.width(); ++x)
      if (universe.cells[y * end.width() + x]) end.set(x, y, true);
  return end;
}

std::string difference(const Grid& expected, const Grid& actual) {
  if (expected.width() != actual.width() || expected.height() != actual.height())
    return "expected " + std::to_string(expected.width()) + " x " +
           std::to_string(expected.height()) + " cells, is " + std::to_string(actual.width()) +
           " x " + std::to_string(actual.height());
  std::uint64_t differing = 0;
  std::string first;
  // By words: 65536^2 cells one at a time take ten times as long as the stages that made them.
  for (std::uint64_t y = 0; y < expected.height(); ++y)
    for (std::uint64_t w = 0; w < expected.words_per_row(); ++w) {
      std::uint64_t wrong = expected.row(y)[w] ^ actual.row(y)[w];
      if (w + 1 == expected.words_per_row()) wrong &= expected.last_word_mask();
      if (wrong == 0) continue;
      if (differing == 0) {
        const std::uint64_t x = w * 64 + static_cast<unsigned>(std::countr_zero(wrong));
        first = "(x " + std::to_string(x) + ", y " + std::to_string(y) + "): expected " +
                (expected.at(x, y) ? "alive, is dead" : "dead, is alive");
      }
      differing += static_cast<unsigned>(std::popcount(wrong));
    }
  if (differing > 0)
    return std::to_string(differing) + " of " +
           std::to_string(expected.width() * expected.height()) + " cells differ, first at " +
           first;
  return expected == actual ? "" : "a padding bit of the packed grid is set";
}

bool has_torus(const LifeStage& stage) { return stage.defaults().has("torus"); }

Parameters parameters_for(const LifeStage& stage, std::uint64_t width, std::uint64_t height,
                          std::uint64_t steps, Edge edge) {
  Parameters parameters = stage.defaults();
  parameters.set("width", width).set("height", height).set("steps", steps);
  if (edge == Edge::torus) parameters.set("torus", std::uint64_t{1});
  return parameters;
}

Grid stage_run(const LifeStage& stage, const Grid& start, std::uint64_t steps, std::uint64_t runs,
               Edge edge) {
  const auto universe = stage.prepare_universe(
      parameters_for(stage, start.width(), start.height(), steps, edge), start);
  for (std::uint64_t run = 0; run < runs; ++run) universe->run();
  universe->wait();
  return universe->collect();
}

}  // namespace ratchet::life
