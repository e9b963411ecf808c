// Universes that show faults: what the tests and the quick check start from besides soups.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "kernels/life/grid/grid.h"
#include "kernels/life/life.h"

namespace ratchet::life {

/// Brings the cells of plaintext rows ('.' dead, 'O' alive, rows end in '\n') to life, the top left
/// one at (x, y). What falls outside of the grid is left out.
void stamp(Grid& grid, std::int64_t x, std::int64_t y, const char* rows);

/// A glider that flies towards (dx, dy), each -1 or 1, in the 3 x 3 cells from (x, y): it is back
/// in shape after 4 generations, one cell further both ways.
void stamp_glider(Grid& grid, std::int64_t x, std::int64_t y, int dx, int dy);

/// All 512 neighbourhoods of 3 x 3 cells, 512 rows of `columns` of them: column c of row r holds
/// neighbourhood (r + c) % 512, its top left cell at (3c, 3r). As 3 is odd, 1024 columns put each
/// one at every bit of a word and of any tile of 2^n cells up to 1024.
Grid truth_table(std::uint64_t columns);

/// "" when the middles of truth_table(columns) are right one generation later by
/// reference/life; else the first that is not.
std::string wrong_neighbourhood(const Grid& next, std::uint64_t columns);

/// Full rows and columns along all four borders, and gliders and blinkers at every side and corner
/// that leave or cross it. For any size.
Grid border_scene(std::uint64_t width, std::uint64_t height);

/// Blocks and blinkers with gliders under way between them: most of it still or of period 2, and
/// woken up when a glider comes.
Grid ash_scene(std::uint64_t width, std::uint64_t height);

/// soup() of these arguments and what the oracle makes of it, each made once for all stages of this
/// process.
struct Soup {
  std::uint64_t width, height, seed;
  unsigned density;
  auto operator<=>(const Soup&) const = default;

  const Grid& start() const;
  const Grid& end(std::uint64_t generations, Edge edge) const;
};

// What a stage can afford to be asked on the machine at hand.

/// Cell updates per second of a soup, run() and wait() alone, measured once per process: the
/// largest square up to 8192 that takes some milliseconds. A lower bound for larger universes.
double updates_per_second(const LifeStage& stage);

/// Whether `updates` cell updates are few, or take the stage at most `seconds`.
bool affordable(const LifeStage& stage, double updates, double seconds);

}  // namespace ratchet::life
