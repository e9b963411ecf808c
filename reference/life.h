// Conway's Game of Life by its definition: B3/S23 on a rectangle of cells, one cell at a time.
//
// Scalar, never optimized: the stages of kernels/life are held against this.
// Source: Dijkstra and Brouwer, "Game of Life: How a nerdsnipe led to a fast
// implementation of game of life" (https://github.com/binary-banter/fast-game-of-life), "Trivial
// simulation".
#pragma once

#include <cstdint>
#include <vector>

namespace ratchet::reference::life {

/// What lies beyond the border: cells that are dead for ever, or the opposite side.
enum class Edge { dead, torus };

/// width x height cells, row by row: cell (x, y) is cells[y * width + x], 1 alive, 0 dead.
struct Universe {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::vector<std::uint8_t> cells;
};

/// The next state of a cell with `neighbours` (0..8) live neighbours: born on 3, survives on 2
/// and 3.
bool next_state(bool alive, unsigned neighbours);

/// Live cells among the eight around (x, y). On a torus narrower than three cells a cell can be its
/// own neighbour and is counted as often as it is met.
unsigned live_neighbours(const Universe& universe, std::uint64_t x, std::uint64_t y, Edge edge);

/// One generation later.
Universe step(const Universe& universe, Edge edge);

/// `generations` generations later.
Universe run(Universe universe, std::uint64_t generations, Edge edge);

/// The new state of the middle cell of a 3 x 3 neighbourhood: bit 3 * row + column of
/// `neighbourhood` (0..511) is the cell of that row and column, bit 4 the middle.
bool next_of_neighbourhood(unsigned neighbourhood);

}  // namespace ratchet::reference::life
