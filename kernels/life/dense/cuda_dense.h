// The kernel of life/cuda/05_strided on any rows of a universe, for stages that do not keep all of
// it in one piece of device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <bit>
#include <cstdint>

#include "kernels/life/strided/strided_layout.h"

namespace ratchet::life {

/// Passes over rows of a universe of a given width. Rows lie pitch() words apart in the strided
/// layout; every address is that of a row's beginning, and may belong to a row that is not there as
/// long as it is not read. Nothing waits; everything is enqueued on `stream`.
class DenseKernel {
 public:
  /// Rows of the universe that a pass may fetch below those that it reads; they must be in
  /// allocated memory. What is in them does not matter.
  static constexpr std::uint64_t kSpareRows = 4;

  /// `cells` of a usual pass decide its shape, as in 05.
  DenseKernel(std::uint64_t width, std::uint64_t cells, Edge edge);

  std::uint64_t pitch() const { return layout_.pitch; }  ///< 32-bit words
  /// Of these, those that hold cells: words() of them after the first lead().
  std::uint64_t words() const { return layout_.words; }
  std::uint64_t lead() const { return layout_.lead(); }

  /// Generations of a pass at most: both shapes do as many as a lane holds words.
  std::uint64_t most_steps() const { return layout_.group; }
  /// The generations of the next pass where `left` are to go: a power of two.
  std::uint64_t pass_steps(std::uint64_t left) const {
    return left >= most_steps() ? most_steps() : std::bit_floor(left);
  }

  /// `rows` rows from a Grid's layout, `packed_pitch` 32-bit words apart, and back.
  void pack(const std::uint32_t* packed, std::uint64_t packed_pitch, std::uint32_t* strided,
            std::uint64_t rows, cudaStream_t stream) const;
  void unpack(const std::uint32_t* strided, std::uint32_t* packed, std::uint64_t packed_pitch,
              std::uint64_t rows, cudaStream_t stream) const;

  /// Rows first .. first + rows - 1 of `out` become those of `in` `steps` generations later, steps
  /// a value of pass_steps(). `in` and `out` are the addresses of the universe's row 0. Read are
  /// `steps` more rows on either side. With a dead border rows outside 0 .. height - 1 are dead,
  /// whatever the memory holds. With a torus left and right are joined and all rows are taken to be
  /// there: joining top and bottom is the caller's business.
  void advance(std::uint32_t* in, std::uint32_t* out, std::int64_t first, std::int64_t rows,
               std::int64_t height, std::uint64_t steps, cudaStream_t stream) const;

 private:
  strided::Layout layout_;  // of a universe of no rows
};

}  // namespace ratchet::life
