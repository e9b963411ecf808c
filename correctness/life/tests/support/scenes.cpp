#include "correctness/life/tests/support/scenes.h"

#include <chrono>
#include <map>
#include <string>
#include <tuple>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"
#include "kernels/support/counter_stream.h"
#include "reference/life.h"

namespace ratchet::life {
namespace {

void bring_to_life(Grid& grid, std::int64_t x, std::int64_t y) {
  if (x < 0 || y < 0) return;
  const auto column = static_cast<std::uint64_t>(x), row = static_cast<std::uint64_t>(y);
  if (column < grid.width() && row < grid.height()) grid.set(column, row, true);
}

unsigned neighbourhood_at(std::uint64_t column, std::uint64_t row) {
  return static_cast<unsigned>((row + column) % 512);
}

}  // namespace

void stamp(Grid& grid, std::int64_t x, std::int64_t y, const char* rows) {
  for (std::int64_t column = x; *rows; ++rows) {
    if (*rows == '\n') {
      ++y;
      column = x;
    } else {
      if (*rows == 'O') bring_to_life(grid, column, y);
      ++column;
    }
  }
}

void stamp_glider(Grid& grid, std::int64_t x, std::int64_t y, int dx, int dy) {
  constexpr const char* kSouthEast[3] = {".O.", "..O", "OOO"};
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      if (kSouthEast[dy > 0 ? row : 2 - row][dx > 0 ? column : 2 - column] == 'O')
        bring_to_life(grid, x + column, y + row);
}

Grid truth_table(std::uint64_t columns) {
  Grid grid(3 * columns, 3 * 512);
  for (std::uint64_t row = 0; row < 512; ++row)
    for (std::uint64_t column = 0; column < columns; ++column)
      for (unsigned bit = 0; bit < 9; ++bit)
        if (neighbourhood_at(column, row) >> bit & 1)
          grid.set(3 * column + bit % 3, 3 * row + bit / 3, true);
  return grid;
}

std::string wrong_neighbourhood(const Grid& next, std::uint64_t columns) {
  for (std::uint64_t row = 0; row < 512; ++row)
    for (std::uint64_t column = 0; column < columns; ++column) {
      const unsigned neighbourhood = neighbourhood_at(column, row);
      const bool expected = reference::life::next_of_neighbourhood(neighbourhood);
      if (next.at(3 * column + 1, 3 * row + 1) != expected)
        return "neighbourhood " + std::to_string(neighbourhood) + " around x " +
               std::to_string(3 * column + 1) + ", y " + std::to_string(3 * row + 1) +
               (expected ? " should give a live cell" : " should give a dead cell");
    }
  return "";
}

Grid border_scene(std::uint64_t width, std::uint64_t height) {
  Grid grid(width, height);
  const auto right = static_cast<std::int64_t>(width), below = static_cast<std::int64_t>(height);
  for (std::int64_t x = right / 4; x < right / 2; ++x) {
    bring_to_life(grid, x, 0);
    bring_to_life(grid, x, below - 1);
  }
  for (std::int64_t y = below / 4; y < below / 2; ++y) {
    bring_to_life(grid, 0, y);
    bring_to_life(grid, right - 1, y);
  }
  for (const int dx : {-1, 1})
    for (const int dy : {-1, 1}) {
      stamp_glider(grid, dx < 0 ? 1 : right - 4, dy < 0 ? 1 : below - 4, dx, dy);  // at a corner
      stamp_glider(grid, dx < 0 ? 2 : right - 5, below * 3 / 5 + 5 * dy, dx, dy);
      stamp_glider(grid, right * 3 / 5 + 5 * dx, dy < 0 ? 2 : below - 5, dx, dy);
    }
  stamp(grid, right * 4 / 5, -1, "O\nO\nO\n");  // blinkers that would reach over the border
  stamp(grid, right * 4 / 5, below - 1, "OOO\n");
  stamp(grid, 0, below * 4 / 5, "O\nO\nO\n");
  stamp(grid, right - 1, below * 4 / 5, "O\nO\nO\n");
  return grid;
}

Grid ash_scene(std::uint64_t width, std::uint64_t height) {
  Grid grid(width, height);
  for (std::uint64_t y = 4; y + 8 < height; y += 13)
    for (std::uint64_t x = 5; x + 8 < width; x += 17) {
      const auto column = static_cast<std::int64_t>(x), row = static_cast<std::int64_t>(y);
      const std::uint32_t random = counter_word32(3, y, x);
      if (random % 16 == 0)
        stamp_glider(grid, column, row, random & 16 ? 1 : -1, random & 32 ? 1 : -1);
      else if (random % 3 == 0)
        stamp(grid, column, row, "OO\nOO\n");
      else if (random % 3 == 1)
        stamp(grid, column, row, "OOO\n");
    }
  return grid;
}

const Grid& Soup::start() const {
  static std::map<Soup, Grid> known;
  const auto [place, added] = known.try_emplace(*this);
  if (added) place->second = soup(width, height, seed, density);
  return place->second;
}

const Grid& Soup::end(std::uint64_t generations, Edge edge) const {
  static std::map<std::tuple<Soup, std::uint64_t, Edge>, Grid> known;
  const auto [place, added] = known.try_emplace({*this, generations, edge});
  if (added) place->second = oracle_run(start(), generations, edge);
  return place->second;
}

namespace {

constexpr double kFew = 1e7;  // a tenth of a second for the slowest of stages
constexpr std::uint64_t kSteps = 16;

double seconds_of_one_run(const LifeStage& stage, std::uint64_t side) {
  const Grid start = soup(side, side, 1, 128);
  const auto universe = stage.prepare_universe(parameters_for(stage, side, side, kSteps), start);
  universe->run();  // what is built or woken up at the first run is not speed
  universe->wait();
  const auto begin = std::chrono::steady_clock::now();
  universe->run();
  universe->wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double measure(const LifeStage& stage) {
  double best = 0;
  for (std::uint64_t side = 256; side <= 8192; side *= 2) {
    const double seconds = seconds_of_one_run(stage, side);
    best = std::max(best, static_cast<double>(side * side * kSteps) / seconds);
    if (seconds > 3e-3) break;
  }
  return best;
}

}  // namespace

double updates_per_second(const LifeStage& stage) {
  static std::map<const LifeStage*, double> known;
  const auto found = known.find(&stage);
  return found != known.end() ? found->second : known[&stage] = measure(stage);
}

bool affordable(const LifeStage& stage, double updates, double seconds) {
  return updates <= kFew || updates <= seconds * updates_per_second(stage);
}

}  // namespace ratchet::life
