// The strided layout on the CPU: a row of a universe as vectors whose bits lie apart.
//
// Bit p of vector j of a row is cell p * columns + j, so the neighbours of a vector's cells are the
// cells of the vectors beside it, bit for bit, and nothing has to be shifted but at the two ends of
// a row. The fewer vectors a row has, the more its ends weigh; so a universe that is not wide is
// folded: cut into as many strips, one below the other, as a vector has lanes, and each strip kept
// in a lane of its own. 07_strided and 08_strided_threads work on it.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/life/packed/cpu_pool.h"
#include "kernels/life/packed/cpu_stage.h"

namespace ratchet::life {

/// How a universe lies in vectors of `lanes` 64-bit words.
struct StridedShape {
  StridedShape(std::uint64_t width, std::uint64_t height, std::uint64_t lanes, Edge edge);

  /// Lanes that hold one row of the universe.
  std::uint64_t row_lanes() const { return folded ? 1 : lanes; }
  /// Words from one row to the next: its vectors and one more on either side.
  std::uint64_t stride() const { return (columns + 2) * lanes; }
  /// Words before vector 0 of the first row.
  std::uint64_t offset() const { return lanes; }

  std::uint64_t width, height, lanes;
  Edge edge;
  bool folded;
  std::uint64_t rows;     ///< rows of vectors: of a strip if folded, else `height`
  std::uint64_t columns;  ///< vectors in a row; they hold `width` cells or more
  /// Where the first cell beyond the row lies: bit `end_bit` of the row's lanes in vector
  /// `end_column`, which is the vector on the right (`columns`) where the row fills its vectors.
  std::uint64_t end_column, end_bit;
};

/// A row of a Grid into lanes 0 to row_lanes() - 1 of the strided row whose vector 0 starts at
/// `to`; the vectors on either side are left as they are. Cells beyond the row are dead.
void pack_strided(const StridedShape& shape, const std::uint64_t* bits, std::uint64_t* to);
/// Back; `bits` are 0 before.
void unpack_strided(const StridedShape& shape, const std::uint64_t* from, std::uint64_t* bits);

/// The most generations in a pass.
inline constexpr std::uint64_t kMaxLevels = 32;

/// Rows first to last - 1 of `to` become `levels` generations younger than `from`. Both are whole
/// universes with the vectors beside each row in place; `scratch` holds scratch_words().
struct StridedPass {
  const StridedShape& shape;
  const std::uint64_t* from;
  std::uint64_t* to;
  std::uint64_t* scratch;
  std::uint64_t levels, first, last;

  static std::uint64_t scratch_words(const StridedShape& shape, std::uint64_t levels) {
    return (2 * levels + 6) * shape.stride() + 2 * shape.offset();
  }
};

/// A universe in two strided fields. Every pass over them makes several generations of a band of
/// rows, one band a thread.
class StridedUniverse final : public Universe {
 public:
  StridedUniverse(const Parameters& parameters, const Grid& start);

  void run() override;
  std::uint64_t units() const override { return shape_.width * shape_.height * steps_; }
  Grid collect() override;

 private:
  void advance_band(std::uint64_t worker);
  /// Vector 0 of row `i` of vectors.
  std::uint64_t* row(std::uint64_t i) { return now_.get() + shape_.offset() + i * shape_.stride(); }
  /// The first lane of row `y` of the universe in its vector 0.
  std::uint64_t* lane(std::uint64_t y) { return row(y % shape_.rows) + y / shape_.rows; }

  StridedShape shape_;
  std::uint64_t steps_, levels_;
  hwy::AlignedFreeUniquePtr<std::uint64_t[]> now_, next_;
  std::vector<hwy::AlignedFreeUniquePtr<std::uint64_t[]>> scratch_;  ///< one of each thread
  Pool pool_;
};

inline std::unique_ptr<Universe> make_strided_universe(const Parameters& parameters,
                                                       const Grid& start) {
  return std::make_unique<StridedUniverse>(parameters, start);
}

/// Operations on 64-bit lanes a cell, for StageInfo.limit: with AVX-512, 17 on eight lanes for two
/// vectors of 512 cells. The ends of rows and rows made for neighbouring bands come on top, some 5
/// %.
inline constexpr double kStridedOpsPerCell = 17 * 8 / 1024.0;

}  // namespace ratchet::life
