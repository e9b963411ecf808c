// A universe in the strided layout as a stage hands it out: two copies, passes between them.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernels/life/strided/cuda_strided.cuh"
#include "kernels/life/strided/cuda_strided_convert.cuh"
#include "kernels/support/device_buffer.h"
#include "perf/support/error.h"

namespace ratchet::life::strided {

/// Two universes on the device and the way to and from a Grid. Both take turns.
class Field {
 public:
  /// Throws `Error` when the device has too little free memory.
  Field(const std::string& stage, const Layout& layout, const Grid& start) : layout_(layout) {
    const std::uint64_t bytes = 2 * layout.size() * sizeof(std::uint32_t) + kStaging;
    std::size_t free = 0, total = 0;
    RATCHET_CUDA(cudaMemGetInfo(&free, &total));
    if (bytes > free)
      throw Error(stage + ": " + std::to_string(layout.width) + " x " +
                  std::to_string(layout.height) + " cells need " + std::to_string(bytes >> 20) +
                  " MiB of device memory, " + std::to_string(free >> 20) +
                  " MiB are free; choose a smaller universe");
    for (auto& copy : copies_) copy = DeviceBuffer<std::uint32_t>(layout.size()), copy.zero();
    by_chunks(start, [&](const std::uint64_t* host, std::uint64_t row, std::uint64_t rows,
                         std::uint32_t* staging) {
      RATCHET_CUDA(
          cudaMemcpy(staging, host, rows * start.words_per_row() * 8, cudaMemcpyHostToDevice));
      to_strided<<<static_cast<unsigned>(rows), 256>>>(layout_, staging, packed_pitch(),
                                                       word_zero(0) + row * layout_.pitch);
      RATCHET_CUDA_LAUNCHED();
    });
  }

  const Layout& layout() const { return layout_; }
  std::uint32_t* current() const { return word_zero(now_); }
  std::uint32_t* other() const { return word_zero(1 - now_); }
  void swap() { now_ = 1 - now_; }

  Grid collect() const {
    Grid grid(layout_.width, layout_.height);
    by_chunks(grid, [&](const std::uint64_t* host, std::uint64_t row, std::uint64_t rows,
                        std::uint32_t* staging) {
      from_strided<<<static_cast<unsigned>(rows), 256>>>(layout_, current() + row * layout_.pitch,
                                                         packed_pitch(), staging);
      RATCHET_CUDA_LAUNCHED();
      RATCHET_CUDA(cudaMemcpy(const_cast<std::uint64_t*>(host), staging,
                              rows * grid.words_per_row() * 8, cudaMemcpyDeviceToHost));
    });
    return grid;
  }

 private:
  static constexpr std::uint64_t kStaging = std::uint64_t{32} << 20;  // bytes

  std::uint32_t packed_pitch() const { return (layout_.width + 63) / 64 * 2; }
  std::uint32_t* word_zero(int copy) const { return copies_[copy].data() + layout_.lead(); }

  /// Calls work(host rows, first row, rows, staging) for chunks that fit the staging buffer.
  template <class Work>
  void by_chunks(const Grid& grid, Work work) const {
    const std::uint64_t row_bytes = grid.words_per_row() * 8;
    const std::uint64_t rows = std::clamp<std::uint64_t>(kStaging / row_bytes, 1, grid.height());
    DeviceBuffer<std::uint32_t> staging(rows * grid.words_per_row() * 2);
    for (std::uint64_t row = 0; row < grid.height(); row += rows)
      work(grid.row(row), row, std::min(rows, grid.height() - row), staging.data());
    RATCHET_CUDA(cudaDeviceSynchronize());
  }

  Layout layout_;
  DeviceBuffer<std::uint32_t> copies_[2];
  int now_ = 0;
};

/// How many blocks of a kernel the device holds at once, Shape::kBlocks a multiprocessor.
template <class Shape>
std::uint32_t resident_blocks() {
  int device = 0, multiprocessors = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  return static_cast<std::uint32_t>(multiprocessors * Shape::kBlocks);
}

/// Advances the field by Shape::T generations; `segments` as for cut_for.
template <class Shape, Border kBorder>
void pass(Field& field, std::uint32_t segments) {
  static const std::uint32_t resident = resident_blocks<Shape>();
  const Layout& layout = field.layout();
  if (layout.gathers()) {
    gather_ghosts<<<layout.height, 2 * layout.group>>>(layout, field.current());
    RATCHET_CUDA_LAUNCHED();
  }
  Pass job{field.current(), field.other(), layout, cut_for(layout, Shape::T, resident, segments),
           layout.gathers()};
  job.boundary = static_cast<std::int32_t>(layout.boundary());
  advance<Shape, kBorder><<<job.cut.blocks, Shape::kThreads>>>(job);
  RATCHET_CUDA_LAUNCHED();
  field.swap();
}

template <class Shape>
void pass(Field& field, std::uint32_t segments) {
  if (field.layout().edge == Edge::torus)
    pass<Shape, Border::torus>(field, segments);
  else if (field.layout().aligned())
    pass<Shape, Border::aligned>(field, segments);
  else
    pass<Shape, Border::any>(field, segments);
}

/// As many passes of the first shape as fit, the rest by the others, each of half the generations;
/// the last shape is of one generation.
template <class... Shapes>
class StridedUniverse final : public Universe {
 public:
  StridedUniverse(const std::string& stage, const Parameters& parameters, const Grid& start,
                  std::uint32_t group, std::uint64_t segments)
      : steps_(parameters.at("steps")),
        units_(cell_updates(parameters)),
        segments_(static_cast<std::uint32_t>(segments)),
        field_(stage,
               make_layout(static_cast<std::uint32_t>(start.width()),
                           static_cast<std::uint32_t>(start.height()), group, edge_of(parameters)),
               start) {}

  void run() override {
    std::uint64_t left = steps_;
    const auto passes = [&]<class Shape>() {
      for (; left >= Shape::T; left -= Shape::T) pass<Shape>(field_, segments_);
    };
    (passes.template operator()<Shapes>(), ...);
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return units_; }
  Grid collect() override { return field_.collect(); }

 private:
  std::uint64_t steps_, units_;
  std::uint32_t segments_;
  Field field_;
};

}  // namespace ratchet::life::strided
