// How the rows of a universe are dealt to ranks, and which rows of others a rank borrows.
//
// A rank that holds `depth` rows of its neighbours' on either side makes `depth` generations by
// itself: with each of them one row less on either side is right, and at the end its own are left.
// What it computes besides is what its neighbours compute, too. (Ding and He, "A ghost cell
// expansion method for reducing communications in solving PDE problems", SC 2001.)
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/life/streamed/stream_plan.h"

namespace ratchet::life::ranked {

/// Rows that rank `from` owns and rank `to`, perhaps the same, borrows.
struct HaloPiece {
  std::uint32_t from = 0, to = 0;
  std::int64_t row = 0;  ///< the first of them
  std::int64_t at = 0;   ///< the same as `to` numbers it: on a torus on beyond both ends
  std::int64_t rows = 0;
  bool operator==(const HaloPiece&) const = default;
};

/// Shares of consecutive rows that differ by one row at most. Ranks without rows come last.
class Shares {
 public:
  Shares(std::uint64_t height, std::uint32_t ranks, Edge edge);

  Edge edge() const { return edge_; }
  std::int64_t height() const { return height_; }
  /// Rows of every share, or one more; equal on all ranks.
  std::uint64_t even_rows() const { return static_cast<std::uint64_t>(height_) / ranks_; }

  RowRange own(std::uint32_t rank) const;
  /// Of row 0 .. height - 1.
  std::uint32_t owner(std::int64_t row) const;
  /// `rows` and `more` rows on either side, as far as there are any: a torus goes on for ever.
  RowRange around(RowRange rows, std::int64_t more) const;
  /// Those of `rows` that a pass of `steps` generations makes from the rank's own rows alone.
  RowRange without_halo(std::uint32_t rank, RowRange rows, std::int64_t steps) const;

  /// What `rank` lends and borrows so that all ranks have `depth` rows on either side. Any two
  /// ranks have their common pieces in the same order.
  std::vector<HaloPiece> pieces(std::uint32_t rank, std::int64_t depth) const;

 private:
  std::int64_t first(std::uint32_t rank) const;
  void add_borrowed(std::uint32_t to, RowRange rows, std::uint32_t rank,
                    std::vector<HaloPiece>& pieces) const;

  std::int64_t height_;
  std::uint32_t ranks_;
  Edge edge_;
};

}  // namespace ratchet::life::ranked
