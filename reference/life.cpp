#include "reference/life.h"

namespace ratchet::reference::life {

bool next_state(bool alive, unsigned neighbours) {
  return neighbours == 3 || (alive && neighbours == 2);
}

namespace {

/// at + step of `size` places in a ring, step in -1..1. (A remainder would take most of the time of
/// the tests' runs.)
std::uint64_t beside(std::uint64_t at, int step, std::uint64_t size) {
  if (step < 0) return (at == 0 ? size : at) - 1;
  const std::uint64_t next = at + static_cast<std::uint64_t>(step);
  return next == size ? 0 : next;
}

/// Whether the cell at (x + dx, y + dy), dx and dy in -1..1, is alive.
bool alive_at(const Universe& u, std::uint64_t x, std::uint64_t y, int dx, int dy, Edge edge) {
  const bool outside = (dx < 0 && x == 0) || (dx > 0 && x + 1 == u.width) || (dy < 0 && y == 0) ||
                       (dy > 0 && y + 1 == u.height);
  if (outside && edge == Edge::dead) return false;
  return u.cells[beside(y, dy, u.height) * u.width + beside(x, dx, u.width)] != 0;
}

}  // namespace

unsigned live_neighbours(const Universe& universe, std::uint64_t x, std::uint64_t y, Edge edge) {
  unsigned count = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) count += alive_at(universe, x, y, dx, dy, edge) ? 1 : 0;
  return count;
}

Universe step(const Universe& universe, Edge edge) {
  Universe next = universe;
  for (std::uint64_t y = 0; y < universe.height; ++y)
    for (std::uint64_t x = 0; x < universe.width; ++x) {
      const bool alive = universe.cells[y * universe.width + x] != 0;
      next.cells[y * universe.width + x] =
          next_state(alive, live_neighbours(universe, x, y, edge)) ? 1 : 0;
    }
  return next;
}

Universe run(Universe universe, std::uint64_t generations, Edge edge) {
  for (std::uint64_t i = 0; i < generations; ++i) universe = step(universe, edge);
  return universe;
}

bool next_of_neighbourhood(unsigned neighbourhood) {
  unsigned neighbours = 0;
  for (unsigned bit = 0; bit < 9; ++bit)
    if (bit != 4) neighbours += neighbourhood >> bit & 1;
  return next_state((neighbourhood >> 4 & 1) != 0, neighbours);
}

}  // namespace ratchet::reference::life
