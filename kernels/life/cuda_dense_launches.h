// Which launches of the strided kernel make a pass of DenseKernel. They are chosen on the host, and
// without the CUDA runtime: a test runs them on an emulated device.
#pragma once

#include <algorithm>

#include "kernels/life/cuda_strided.cuh"

namespace ratchet::life::strided {

/// Rows of a torus are numbered from here on, far from both ends: the kernel never turns around.
inline constexpr std::int64_t kFarRow = std::int64_t{1} << 29;

/// The pass over rows from `first` on of a universe of `height` rows, not cut yet; `in` and `out`
/// are the addresses of its row 0.
inline Pass dense_pass(const Layout& layout, const std::uint32_t* in, std::uint32_t* out,
                       std::int64_t first, std::int64_t height) {
  const bool torus = layout.edge == Edge::torus;
  const std::int64_t shift = torus ? kFarRow : 0;
  const std::int64_t offset = layout.lead() - shift * static_cast<std::int64_t>(layout.pitch);
  Pass job{in + offset, out + offset, layout, {}, layout.gathers()};
  job.layout.height = static_cast<std::uint32_t>(torus ? 2 * kFarRow : height);
  job.boundary = static_cast<std::int32_t>(layout.boundary());
  job.first = static_cast<std::int32_t>(first + shift);
  return job;
}

/// Calls launch(job) for every launch that `rows` rows of a pass of Shape need, on a device that
/// holds `resident` warps of it.
///
/// On a torus and above dead rows that is one. But the kernel's loop fetches two rows ahead without
/// asking whether they are below the last, and takes what it finds for cells; a check there would
/// cost every row of every stage. So the last T rows, the only ones that come of cells below the
/// universe, are a launch of their own. However it is cut, a segment of it with r rows starts T
/// above them, and at least r of its r + 2 T rows are below the last: what is left ends before the
/// loop begins, and all other fetches are checked. The segments of the other launch have no rows
/// below the last; what they fetch there they never use. The second launch takes as long as the
/// warm-up of one segment.
template <class Shape, class Launch>
void each_launch(Pass job, std::int64_t rows, Below below, std::uint32_t resident,
                 const Launch& launch) {
  static_assert(kLoopBegin<Shape::T> >= 2 * Shape::T);
  const auto launch_rows = [&](std::int64_t first, std::int64_t last) {
    if (first >= last) return;
    Layout part = job.layout;
    part.height = static_cast<std::uint32_t>(last - first);
    job.first = static_cast<std::int32_t>(first);
    job.cut = cut_for(part, resident);
    launch(job);
  };
  const std::int64_t first = job.first, last = first + rows;
  if (job.layout.edge == Edge::torus || below == Below::dead) return launch_rows(first, last);
  const std::int64_t above = std::int64_t{job.layout.height} - Shape::T;
  const std::int64_t split = std::clamp(above, first, last);
  launch_rows(first, split);
  launch_rows(split, last);
}

}  // namespace ratchet::life::strided
