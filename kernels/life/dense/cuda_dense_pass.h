// The pass of the strided kernel that DenseKernel launches. It is made on the host, and without the
// CUDA runtime: a test runs it on an emulated device.
#pragma once

#include "kernels/life/strided/cuda_strided.cuh"

namespace ratchet::life::strided {

/// Rows of a torus are numbered from here on, far from both ends of 2 kFarRow rows, so that the
/// kernel never comes to the row where it would begin again at the top.
inline constexpr std::int64_t kFarRow = std::int64_t{1} << 29;

/// A pass of `generations` over `rows` rows from `first` on of a universe of `height` rows, for a
/// device that holds `resident` blocks of the kernel; `in` and `out` are the addresses of row 0.
inline Pass dense_pass(const Layout& layout, const std::uint32_t* in, std::uint32_t* out,
                       std::int64_t first, std::int64_t rows, std::int64_t height,
                       std::uint32_t generations, std::uint32_t resident) {
  const bool torus = layout.edge == Edge::torus;
  const std::int64_t shift = torus ? kFarRow : 0;
  const std::int64_t offset = layout.lead() - shift * static_cast<std::int64_t>(layout.pitch);
  Layout part = layout;
  part.height = static_cast<std::uint32_t>(rows);
  Pass job{in + offset, out + offset, layout, cut_for(part, generations, resident),
           layout.gathers()};
  job.layout.height = static_cast<std::uint32_t>(torus ? 2 * kFarRow : height);
  job.boundary = static_cast<std::int32_t>(layout.boundary());
  job.first = static_cast<std::int32_t>(first + shift);
  return job;
}

}  // namespace ratchet::life::strided
