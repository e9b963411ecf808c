// How a universe larger than device memory goes through the device: which rows, when.
//
// A sweep takes the whole universe `generations` further, in passes of a few generations each. It
// is cut into bands of full rows, taken from the top down. A band's rows slant: with every
// generation done they lie one row higher, so that a pass never asks for rows below the band; the
// rows above it that a pass asks for are the last rows of the band before, which that band leaves
// behind on the device, for every pass its own. So no row is computed twice, every row goes up and
// down once a sweep, and a row that comes down falls on one that has gone up already: one universe
// in host memory is enough. (Parallelogram tiling: Wonnacott, "Using time skewing to eliminate idle
// time due to memory bandwidth and network limitations", IPDPS 2000.)
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "kernels/life/life.h"

namespace ratchet::life {

/// Rows first .. last - 1. On a torus rows are numbered on beyond both ends: -1 is the last row.
struct RowRange {
  std::int64_t first = 0, last = 0;
  std::int64_t size() const { return last > first ? last - first : 0; }
};

/// What decides a plan.
struct StreamNeeds {
  std::string stage;           ///< named in errors
  std::uint64_t device_bytes;  ///< all that the stage may allocate
  std::uint64_t row_bytes;     ///< of a row on the device, padding included
  std::uint64_t height;        ///< rows
  std::uint64_t steps;         ///< generations of a run
  std::uint64_t pass_steps;    ///< generations of a pass at most; a power of two
  std::uint64_t spare_rows;    ///< rows that a pass may fetch beyond a band
  std::uint64_t sweep_steps;   ///< generations of a sweep, at most
  Edge edge;
};

/// The rows of every band at every moment of a sweep of `generations`.
class Sweep {
 public:
  Sweep(std::uint64_t height, std::uint64_t band_rows, std::uint64_t generations, Edge edge);

  std::uint64_t generations() const { return generations_; }
  /// The last of them bring no rows of their own: since bands slant, rows are left that only later
  /// bands finish.
  std::uint64_t bands() const { return bands_; }
  /// The row that slot 0 of a band stands for after `done` generations (it may not exist).
  std::int64_t origin(std::uint64_t band, std::uint64_t done) const;
  /// The rows that exist of the band after `done` generations: what is uploaded (0), what a pass
  /// that ends there writes, what is downloaded (all).
  RowRange rows(std::uint64_t band, std::uint64_t done) const;

 private:
  std::int64_t height_, band_rows_, generations_;
  bool torus_;
  std::uint64_t bands_;
};

/// Passes of `most` generations each, and of smaller powers of two for the rest.
inline std::uint64_t passes_of(std::uint64_t generations, std::uint64_t most) {
  return generations / most + static_cast<std::uint64_t>(std::popcount(generations % most));
}

/// Band height, generations of a sweep, and the device memory they take.
struct StreamPlan {
  std::uint64_t band_rows = 0;
  std::uint64_t sweep_steps = 0;  ///< generations of every sweep but perhaps the last
  std::uint64_t passes = 0;       ///< of a sweep, at most
  std::uint64_t halo_rows = 0;    ///< rows that a band leaves behind for each pass
  std::uint64_t device_rows = 0;  ///< rows of device memory in all

  /// Bands in flight: one comes up, two are read and written by the passes, one goes down.
  static constexpr std::uint64_t kBuffers = 4;
  /// At least so many bands, so that transfers have something to hide behind.
  static constexpr std::uint64_t kBands = 8;
  /// Rows of one of them: the halo above and the band.
  std::uint64_t buffer_rows() const { return halo_rows + band_rows; }
};

/// The plan with the highest bands that fit, and at least kBands of them. Throws `Error` when
/// device_bytes cannot hold the lowest bands.
StreamPlan plan_stream(const StreamNeeds& needs);

}  // namespace ratchet::life
