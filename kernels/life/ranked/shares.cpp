#include "kernels/life/ranked/shares.h"

#include <algorithm>

#include "kernels/support/ranks/communicator.h"

namespace ratchet::life::ranked {

Shares::Shares(std::uint64_t height, std::uint32_t ranks, Edge edge)
    : height_(static_cast<std::int64_t>(height)), ranks_(ranks), edge_(edge) {}

std::int64_t Shares::first(std::uint32_t rank) const {
  return static_cast<std::int64_t>(
      ranks::share_begin(static_cast<std::uint64_t>(height_), ranks_, rank));
}

RowRange Shares::own(std::uint32_t rank) const { return {first(rank), first(rank + 1)}; }

RowRange Shares::around(RowRange rows, std::int64_t more) const {
  const RowRange wide{rows.first - more, rows.last + more};
  if (edge_ == Edge::torus) return wide;
  return {std::max<std::int64_t>(wide.first, 0), std::min(wide.last, height_)};
}

RowRange Shares::without_halo(std::uint32_t rank, RowRange rows, std::int64_t steps) const {
  const RowRange mine = own(rank), beyond = around(mine, 1);
  if (beyond.first < mine.first) rows.first = std::max(rows.first, mine.first + steps);
  if (beyond.last > mine.last) rows.last = std::min(rows.last, mine.last - steps);
  return rows;
}

/// The first shares have a row more than the others.
std::uint32_t Shares::owner(std::int64_t row) const {
  const std::int64_t each = height_ / ranks_, longer = height_ % ranks_;
  const std::int64_t in_longer = longer * (each + 1);
  return static_cast<std::uint32_t>(row < in_longer ? row / (each + 1)
                                                    : longer + (row - in_longer) / each);
}

void Shares::add_borrowed(std::uint32_t to, RowRange rows, std::uint32_t rank,
                          std::vector<HaloPiece>& pieces) const {
  while (rows.size() > 0) {
    const std::int64_t row = (rows.first % height_ + height_) % height_;
    const std::uint32_t from = owner(row);
    const std::int64_t n = std::min(rows.size(), own(from).last - row);
    if (from == rank || to == rank) pieces.push_back({from, to, row, rows.first, n});
    rows.first += n;
  }
}

std::vector<HaloPiece> Shares::pieces(std::uint32_t rank, std::int64_t depth) const {
  std::vector<HaloPiece> found;
  for (std::uint32_t to = 0; to < ranks_; ++to) {
    const RowRange mine = own(to);
    if (mine.size() == 0) break;
    const RowRange wide = around(mine, depth);
    add_borrowed(to, {wide.first, mine.first}, rank, found);
    add_borrowed(to, {mine.last, wide.last}, rank, found);
  }
  return found;
}

}  // namespace ratchet::life::ranked
