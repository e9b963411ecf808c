// Rows of a torus for kernels that know of dead borders alone.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life::ranked {

/// A row of a torus has the cell beyond either end as one more cell: a word before it, of which the
/// last bit is used, and the bit behind it.
class RowShape {
 public:
  RowShape(std::uint64_t width, Edge edge)
      : width_(width), before_(edge == Edge::torus ? 1 : 0), behind_(before_) {}

  std::uint64_t width() const { return 64 * before_ + width_ + behind_; }
  std::uint64_t columns() const { return GridRows::columns(width()); }
  bool joined() const { return before_ == 1; }

  void pack(const std::uint64_t* packed, std::uint64_t* row) const {
    std::copy_n(packed, GridRows::columns(width_), row + before_);
    join(row);
  }
  void unpack(const std::uint64_t* row, std::uint64_t* packed) const {
    std::copy_n(row + before_, GridRows::columns(width_), packed);
    packed[GridRows::columns(width_) - 1] &= GridRows::last_mask(width_);
  }
  /// Sets what lies beyond the ends of a torus after its cells have changed.
  void join(std::uint64_t* row) const {
    if (!joined()) return;
    const auto cell = [&](std::uint64_t x) { return row[1 + x / 64] >> x % 64 & 1; };
    const std::uint64_t first = cell(0), last = cell(width_ - 1);
    std::uint64_t& end = row[1 + width_ / 64];
    row[0] = last << 63;
    end = (end & ~(std::uint64_t{1} << width_ % 64)) | first << width_ % 64;
  }

 private:
  std::uint64_t width_, before_, behind_;
};

}  // namespace ratchet::life::ranked
