#include "kernels/life/cuda_dense.h"
#include "kernels/life/cuda_strided_universe.cuh"

namespace ratchet::life {
namespace {

using namespace strided;

// The two shapes of 05, and where it changes over.
template <int T>
using Wide = Shape<8, T, 4, 256, 1>;
template <int T>
using Narrow = Shape<4, T, 2, 256, 2>;
constexpr std::uint64_t kSmall = std::uint64_t{16384} * 16384;

/// Rows of a torus are numbered from here on, far from both ends: the kernel never turns around.
constexpr std::int64_t kFarRow = std::int64_t{1} << 29;

template <class Shape, Border kBorder>
void launch(Pass job, std::uint32_t rows, cudaStream_t stream) {
  static const std::uint32_t resident = resident_warps<Shape, kBorder>();
  Layout part = job.layout;
  part.height = rows;
  job.cut = cut_for(part, resident);
  const unsigned warps_a_block = Shape::kThreads / 32;
  advance<Shape, kBorder>
      <<<(job.cut.warps + warps_a_block - 1) / warps_a_block, Shape::kThreads, 0, stream>>>(job);
  RATCHET_CUDA_LAUNCHED();
}

template <class Shape>
void launch(const Pass& job, std::uint32_t rows, cudaStream_t stream) {
  if (job.layout.edge == Edge::torus)
    launch<Shape, Border::torus>(job, rows, stream);
  else if (job.layout.aligned())
    launch<Shape, Border::aligned>(job, rows, stream);
  else
    launch<Shape, Border::any>(job, rows, stream);
}

}  // namespace

DenseKernel::DenseKernel(std::uint64_t width, std::uint64_t cells, Edge edge)
    : layout_(make_layout(static_cast<std::uint32_t>(width), 0, cells <= kSmall ? 4 : 8, edge)) {}

void DenseKernel::pack(const std::uint32_t* packed, std::uint64_t packed_pitch,
                       std::uint32_t* strided, std::uint64_t rows, cudaStream_t stream) const {
  to_strided<<<static_cast<unsigned>(rows), 256, 0, stream>>>(
      layout_, packed, static_cast<std::uint32_t>(packed_pitch), strided + layout_.lead());
  RATCHET_CUDA_LAUNCHED();
}

void DenseKernel::unpack(const std::uint32_t* strided, std::uint32_t* packed,
                         std::uint64_t packed_pitch, std::uint64_t rows,
                         cudaStream_t stream) const {
  from_strided<<<static_cast<unsigned>(rows), 256, 0, stream>>>(
      layout_, strided + layout_.lead(), static_cast<std::uint32_t>(packed_pitch), packed);
  RATCHET_CUDA_LAUNCHED();
}

void DenseKernel::advance(std::uint32_t* in, std::uint32_t* out, std::int64_t first,
                          std::int64_t rows, std::int64_t height, std::uint64_t steps,
                          cudaStream_t stream) const {
  const bool torus = layout_.edge == Edge::torus;
  const std::int64_t shift = torus ? kFarRow : 0;
  const auto pitch = static_cast<std::int64_t>(layout_.pitch);
  const auto margin = static_cast<std::int64_t>(steps);
  if (layout_.gathers()) {
    gather_ghosts<<<static_cast<unsigned>(rows + 2 * margin), 2 * layout_.group, 0, stream>>>(
        layout_, in + (first - margin) * pitch + layout_.lead());
    RATCHET_CUDA_LAUNCHED();
  }
  Pass job{in - shift * pitch + layout_.lead(),
           out - shift * pitch + layout_.lead(),
           layout_,
           {},
           layout_.gathers()};
  job.layout.height = static_cast<std::uint32_t>(torus ? 2 * kFarRow : height);
  job.boundary = static_cast<std::int32_t>(layout_.boundary());
  job.first = static_cast<std::int32_t>(first + shift);
  const auto wanted = static_cast<std::uint32_t>(rows);
  const bool narrow = layout_.group == 4;
  switch (steps) {
    case 8:
      return launch<Wide<8>>(job, wanted, stream);
    case 4:
      return narrow ? launch<Narrow<4>>(job, wanted, stream) : launch<Wide<4>>(job, wanted, stream);
    case 2:
      return narrow ? launch<Narrow<2>>(job, wanted, stream) : launch<Wide<2>>(job, wanted, stream);
    default:
      return narrow ? launch<Narrow<1>>(job, wanted, stream) : launch<Wide<1>>(job, wanted, stream);
  }
}

}  // namespace ratchet::life
