#include "reference/life.h"

namespace ratchet::reference::life {

bool next_state(bool alive, unsigned neighbours) {
  return neighbours == 3 || (alive && neighbours == 2);
}

namespace {

/// Whether the cell at (x + dx, y + dy), dx and dy in -1..1, is alive.
bool alive_at(const Universe& u, std::uint64_t x, std::uint64_t y, int dx, int dy, Edge edge) {
  const bool outside = (dx < 0 && x == 0) || (dx > 0 && x + 1 == u.width) || (dy < 0 && y == 0) ||
                       (dy > 0 && y + 1 == u.height);
  if (outside && edge == Edge::dead) return false;
  const std::uint64_t column = (x + u.width + static_cast<std::uint64_t>(dx)) % u.width;
  const std::uint64_t row = (y + u.height + static_cast<std::uint64_t>(dy)) % u.height;
  return u.cells[row * u.width + column] != 0;
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
