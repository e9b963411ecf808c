// Between rows of a Grid and strided rows: transposing blocks of 64 x 64 bits.
#include <array>

#include "kernels/life/strided/cpu_strided.h"

namespace ratchet::life {
namespace {

using Block = std::array<std::uint64_t, 64>;

/// Bit c of word r becomes bit r of word c: quarters are swapped across the diagonal, then their
/// quarters, down to single bits.
void transpose(Block& block) {
  std::uint64_t low = 0x0000'0000'ffff'ffff;
  for (unsigned half = 32; half > 0; half /= 2, low ^= low << half)
    for (unsigned r = 0; r < 64; r = (r + half + 1) & ~half) {
      const std::uint64_t swapped = (block[r] >> half ^ block[r + half]) & low;
      block[r] ^= swapped << half;
      block[r + half] ^= swapped;
    }
}

/// Cells `x` to x + 63 of a row of `width`; those beyond it are dead.
std::uint64_t take(const std::uint64_t* bits, std::uint64_t width, std::uint64_t x) {
  if (x >= width) return 0;
  const std::uint64_t word = x / 64, shift = x % 64;
  std::uint64_t cells = bits[word] >> shift;
  if (shift != 0 && word + 1 < (width + 63) / 64) cells |= bits[word + 1] << (64 - shift);
  return cells;
}

/// The opposite: ORs the lowest `count` of `cells` in.
void put(std::uint64_t* bits, std::uint64_t width, std::uint64_t x, std::uint64_t cells,
         std::uint64_t count) {
  if (x >= width) return;
  count = std::min(count, width - x);
  if (count < 64) cells &= (std::uint64_t{1} << count) - 1;
  const std::uint64_t word = x / 64, shift = x % 64;
  bits[word] |= cells << shift;
  if (shift != 0 && shift + count > 64) bits[word + 1] |= cells >> (64 - shift);
}

}  // namespace

StridedShape::StridedShape(std::uint64_t width, std::uint64_t height, std::uint64_t lanes,
                           Edge edge)
    : width(width), height(height), lanes(lanes), edge(edge) {
  // The ends of a row cost as much as some four vectors. A strip has to be higher than the
  // generations of a pass, or most of the work is done for its neighbours.
  constexpr std::uint64_t kFewColumns = 16, kHighStrip = 16;
  folded = lanes > 1 && width <= kFewColumns * 64 * lanes && height % lanes == 0 &&
           height / lanes >= kHighStrip;
  rows = folded ? height / lanes : height;
  const std::uint64_t bits = 64 * row_lanes();
  columns = (width + bits - 1) / bits;
  end_column = width % columns;
  end_bit = width / columns;
  if (end_bit == bits) {
    end_column = columns;
    end_bit = bits - 1;
  }
}

void pack_strided(const StridedShape& shape, const std::uint64_t* bits, std::uint64_t* to) {
  for (std::uint64_t lane = 0; lane < shape.row_lanes(); ++lane)
    for (std::uint64_t j = 0; j < shape.columns; j += 64) {
      Block block;
      for (std::uint64_t r = 0; r < 64; ++r)
        block[r] = take(bits, shape.width, (64 * lane + r) * shape.columns + j);
      transpose(block);
      for (std::uint64_t c = 0; c < std::min<std::uint64_t>(64, shape.columns - j); ++c)
        to[(j + c) * shape.lanes + lane] = block[c];
    }
}

void unpack_strided(const StridedShape& shape, const std::uint64_t* from, std::uint64_t* bits) {
  for (std::uint64_t lane = 0; lane < shape.row_lanes(); ++lane)
    for (std::uint64_t j = 0; j < shape.columns; j += 64) {
      const std::uint64_t count = std::min<std::uint64_t>(64, shape.columns - j);
      Block block{};
      for (std::uint64_t c = 0; c < count; ++c) block[c] = from[(j + c) * shape.lanes + lane];
      transpose(block);
      for (std::uint64_t r = 0; r < 64; ++r)
        put(bits, shape.width, (64 * lane + r) * shape.columns + j, block[r], count);
    }
}

}  // namespace ratchet::life
