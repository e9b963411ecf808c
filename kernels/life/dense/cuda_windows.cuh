// What a thread holds in the text's column layout: two windows of 32 cells, kRows rows of them.
//
//   loaded      XXXXXXXX YYYYYYYY ZZZZZZZZ     columns c - 1, c, c + 1
//   left            XXXX YYYY
//   right                    YYYY ZZZZ
//
// 64 cells in a row, of which the 32 in the middle are right for 16 generations. Above and below,
// the tile of a block loses a row a generation: 16 rows at each end are halo.
#pragma once

#include <cstdint>

#include "kernels/life/dense/cuda_pass.cuh"
#include "kernels/life/grid/rules.h"

namespace ratchet::life {

/// Reads 32 cells from (x, y) on, for tiles that reach over the border; x is 16 beside a word's
/// first cell.
__device__ inline std::uint32_t cells_at_border(const Pass& pass, int x, int y) {
  const int columns = (pass.width + 31) / 32;
  if (pass.torus) {
    y = (y % pass.height + pass.height) % pass.height;
  } else if (y < 0 || y >= pass.height) {
    return 0;
  }
  const std::uint32_t* row = pass.from + y;
  if (pass.torus && (x < 0 || x + 32 > pass.width)) {
    std::uint32_t cells = 0;
    int from = (x % pass.width + pass.width) % pass.width;
#pragma unroll 1
    for (int i = 0; i < 32; ++i) {
      cells |= (row[from / 32 * pass.pitch] >> from % 32 & 1) << i;
      from = from + 1 == pass.width ? 0 : from + 1;
    }
    return cells;
  }
  const int c = (x + 16) / 32 - 1;
  const std::uint32_t low = c >= 0 && c < columns ? row[c * pass.pitch] : 0;
  const std::uint32_t high = c + 1 < columns ? row[(c + 1) * pass.pitch] : 0;
  return low >> 16 | high << 16;
}

/// One row of both windows with its neighbours in the row lined up.
struct AlignedRow {
  struct Window {
    std::uint32_t west, centre, east;
  } left, right;
};
__device__ inline AlignedRow aligned(std::uint32_t left, std::uint32_t right) {
  return {{left << 1, left, __funnelshift_r(left, right, 1)},
          {__funnelshift_l(left, right, 1), right, right >> 1}};
}

/// Two words: a row of both windows.
struct RowPair {
  std::uint32_t left, right;
};

template <unsigned kRows>
class Windows {
 public:
  static_assert(kRows % 4 == 0, "rows are read and written four at a time");

  /// The kRows rows from `y` on around column `column`. `border`: the block's tile reaches over the
  /// border (uniform in the block), and cells outside are kept dead from now on unless a torus.
  __device__ Windows(const Pass& pass, int column, int y, bool border)
      : pass_(pass), column_(column), y_(y) {
    if (border)
      load_border();
    else
      load_inside();
  }

  __device__ RowPair row(unsigned r) const { return {left_[r], right_[r]}; }
  __device__ RowPair first() const { return row(0); }
  __device__ RowPair last() const { return row(kRows - 1); }

  /// Puts row r of the next generation in place.
  template <bool kBorder>
  __device__ void set(unsigned r, std::uint32_t left, std::uint32_t right) {
    if constexpr (kBorder) {
      const bool dead = !pass_.torus && static_cast<unsigned>(y_ + static_cast<int>(r)) >=
                                            static_cast<unsigned>(pass_.height);
      left = dead ? 0 : left & left_mask_;
      right = dead ? 0 : right & right_mask_;
    }
    left_[r] = left;
    right_[r] = right;
  }

  /// Writes the rows of column `column` that are not halo: those from `begin` to `end` of the
  /// block's tile, of which this thread's first row is number `first`.
  __device__ void store(int first, int begin, int end, bool border) const {
    const std::uint32_t mask = border ? cells_inside(column_ * 32, pass_.width) : ~0u;
    std::uint32_t* to = pass_.to + column_ * pass_.pitch + y_;
#pragma unroll
    for (unsigned r = 0; r < kRows; r += 4) {
      const int at = first + static_cast<int>(r);
      if (at < begin || at >= end || y_ + static_cast<int>(r) >= pass_.height) continue;
      *reinterpret_cast<uint4*>(to + r) = make_uint4(middle(r) & mask, middle(r + 1) & mask,
                                                     middle(r + 2) & mask, middle(r + 3) & mask);
    }
  }

 private:
  __device__ std::uint32_t middle(unsigned r) const {
    return __byte_perm(left_[r], right_[r], 0x5432);  // left >> 16 | right << 16
  }

  __device__ void load_inside() {
    const std::uint32_t* at = pass_.from + column_ * pass_.pitch + y_;
#pragma unroll
    for (unsigned r = 0; r < kRows; r += 4) {
      const uint4 x = *reinterpret_cast<const uint4*>(at + r - pass_.pitch);
      const uint4 y = *reinterpret_cast<const uint4*>(at + r);
      const uint4 z = *reinterpret_cast<const uint4*>(at + r + pass_.pitch);
      load_row(r, x.x, y.x, z.x);
      load_row(r + 1, x.y, y.y, z.y);
      load_row(r + 2, x.z, y.z, z.z);
      load_row(r + 3, x.w, y.w, z.w);
    }
  }
  __device__ void load_row(unsigned r, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    left_[r] = __byte_perm(x, y, 0x5432);
    right_[r] = __byte_perm(y, z, 0x5432);
  }

  __device__ void load_border() {
    const int x = column_ * 32 - 16;
    left_mask_ = pass_.torus ? ~0u : cells_inside(x, pass_.width);
    right_mask_ = pass_.torus ? ~0u : cells_inside(x + 32, pass_.width);
#pragma unroll
    for (unsigned r = 0; r < kRows; ++r) {
      left_[r] = cells_at_border(pass_, x, y_ + static_cast<int>(r));
      right_[r] = cells_at_border(pass_, x + 32, y_ + static_cast<int>(r));
    }
  }

  const Pass& pass_;
  int column_, y_;
  std::uint32_t left_mask_ = ~0u, right_mask_ = ~0u;
  std::uint32_t left_[kRows], right_[kRows];
};

/// Whether a tile of `rows` rows from `y` on around `column` reaches over the border.
__device__ inline bool at_border(const Pass& pass, int column, int y, int rows) {
  return column == 0 || column * 32 + 48 > pass.width || y < 0 || y + rows > pass.height;
}

/// One generation, every cell by the nine-word network `Rule`. `above` and `below` are the rows of
/// the neighbouring threads.
template <class Rule, bool kBorder, unsigned kRows>
__device__ void advance(Windows<kRows>& windows, RowPair above, RowPair below) {
  using Window = AlignedRow::Window;
  const auto next = [](const Window& n, const Window& c, const Window& s) {
    return Rule::next(Neighbourhood<std::uint32_t>{n.west, n.centre, n.east, c.west, c.centre,
                                                   c.east, s.west, s.centre, s.east});
  };
  AlignedRow north = aligned(above.left, above.right);
  AlignedRow here = aligned(windows.first().left, windows.first().right);
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) {
    const RowPair under = r + 1 < kRows ? windows.row(r + 1) : below;
    const AlignedRow south = aligned(under.left, under.right);
    windows.template set<kBorder>(r, next(north.left, here.left, south.left),
                                  next(north.right, here.right, south.right));
    north = here;
    here = south;
  }
}

/// The same where every row's own sum of three is made once, and serves the row above, and the row
/// below. `above` and `below` are the sums of the neighbouring threads' rows.
struct SumPair {
  Sum<std::uint32_t> left, right;
};
__device__ inline SumPair sums(const AlignedRow& row) {
  return {sum_of(row.left.west, row.left.centre, row.left.east),
          sum_of(row.right.west, row.right.centre, row.right.east)};
}
__device__ inline SumPair sums(RowPair row) { return sums(aligned(row.left, row.right)); }

template <bool kBorder, unsigned kRows>
__device__ void advance_by_sums(Windows<kRows>& windows, SumPair above, SumPair below) {
  AlignedRow here = aligned(windows.first().left, windows.first().right);
  SumPair north = above, own = sums(here);
#pragma unroll
  for (unsigned r = 0; r < kRows; ++r) {
    AlignedRow under{};
    SumPair south = below;
    if (r + 1 < kRows) {
      under = aligned(windows.row(r + 1).left, windows.row(r + 1).right);
      south = sums(under);
    }
    windows.template set<kBorder>(
        r, shared_sums_6(north.left, here.left.west, here.left.centre, here.left.east, south.left),
        shared_sums_6(north.right, here.right.west, here.right.centre, here.right.east,
                      south.right));
    north = own;
    own = south;
    here = under;
  }
}

}  // namespace ratchet::life
