#include "kernels/life/dense/cuda_dense.h"
#include "kernels/life/dense/cuda_dense_pass.h"
#include "kernels/life/strided/cuda_strided_universe.cuh"

namespace ratchet::life {
namespace {

using namespace strided;

/// Which rows a pass is over.
struct Rows {
  const std::uint32_t* in;
  std::uint32_t* out;
  std::int64_t first, rows, height;
};

template <class Shape, Border kBorder>
void launch(const Layout& layout, const Rows& rows, cudaStream_t stream) {
  static const std::uint32_t resident = resident_blocks<Shape>();
  const Pass job =
      dense_pass(layout, rows.in, rows.out, rows.first, rows.rows, rows.height, Shape::T, resident);
  advance<Shape, kBorder><<<job.cut.blocks, Shape::kThreads, 0, stream>>>(job);
  RATCHET_CUDA_LAUNCHED();
}

template <class Shape>
void launch(const Layout& layout, const Rows& rows, cudaStream_t stream) {
  if (layout.edge == Edge::torus)
    launch<Shape, Border::torus>(layout, rows, stream);
  else if (layout.aligned())
    launch<Shape, Border::aligned>(layout, rows, stream);
  else
    launch<Shape, Border::any>(layout, rows, stream);
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
  if (layout_.gathers()) {
    const auto margin = static_cast<std::int64_t>(steps), pitch = std::int64_t{layout_.pitch};
    gather_ghosts<<<static_cast<unsigned>(rows + 2 * margin), 2 * layout_.group, 0, stream>>>(
        layout_, in + (first - margin) * pitch + layout_.lead());
    RATCHET_CUDA_LAUNCHED();
  }
  if (rows == 0) return;
  const Rows part{in, out, first, rows, height};
  const auto go = [&]<class Shape>() { launch<Shape>(layout_, part, stream); };
  const bool narrow = layout_.group == 4;
  switch (steps) {
    case 8:
      return go.template operator()<Wide<8>>();
    case 4:
      return narrow ? go.template operator()<Narrow<4>>() : go.template operator()<Wide<4>>();
    case 2:
      return narrow ? go.template operator()<Narrow<2>>() : go.template operator()<Wide<2>>();
    default:
      return narrow ? go.template operator()<Narrow<1>>() : go.template operator()<Wide<1>>();
  }
}

}  // namespace ratchet::life
