// A universe in device memory, advanced pass by pass between two grids; and the layout of the
// text's CUDA stages, columns of 32-bit words.
//
// By columns, word (c, y) is cells (32 c .. 32 c + 31, y), the lowest bit leftmost; the words of a
// column follow each other from the top down, so that a thread, which holds rows that lie on top of
// each other, reads neighbouring addresses. Two grids and nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>

#include "kernels/life/dense/cuda_pass.cuh"
#include "kernels/life/life.h"
#include "kernels/support/device_buffer.h"

namespace ratchet::life {

/// Two buffers of `words` 32-bit words. Throws `Error` naming the stage, what is needed and what is
/// free, where the device has too little memory.
inline std::pair<DeviceBuffer<std::uint32_t>, DeviceBuffer<std::uint32_t>> two_grids(
    const std::string& stage, std::uint64_t words) {
  std::size_t free = 0, total = 0;
  RATCHET_CUDA(cudaMemGetInfo(&free, &total));
  if (8 * words > free)
    throw Error(stage + ": two grids need " + std::to_string((8 * words) >> 20) +
                " MiB of device memory, " + std::to_string(free >> 20) +
                " MiB are free; choose a smaller width or height");
  return {DeviceBuffer<std::uint32_t>(words), DeviceBuffer<std::uint32_t>(words)};
}

/// How the words of a universe follow each other: by rows, as in the Grid, or by columns.
enum class Order { rows, columns };

/// A universe that a kernel advances pass by pass between two grids. `launch(pass)` is enqueued
/// once for every kPassSteps generations or the rest.
template <class Launch>
class TwoGridUniverse : public Universe {
 public:
  TwoGridUniverse(const std::string& stage, const Parameters& parameters, const Grid& start,
                  Order order, Launch launch)
      : launch_(std::move(launch)),
        order_(order),
        steps_(parameters.at("steps")),
        units_(cell_updates(parameters)),
        torus_(edge_of(parameters) == Edge::torus),
        width_(start.width()),
        rows_(static_cast<std::uint32_t>(start.height())),
        columns_(static_cast<std::uint32_t>((start.width() + 31) / 32)),
        grid_pitch_(static_cast<std::uint32_t>(start.words_per_row() * 2)),
        pitch_(order == Order::rows ? grid_pitch_ : (start.height() + 3) / 4 * 4) {
    const std::uint64_t by_rows = std::uint64_t{grid_pitch_} * rows_;
    // Either grid also has room for the Grid's own order, on the way in and out.
    const std::uint64_t words = order == Order::rows ? by_rows : pitch_ * grid_pitch_;
    std::tie(now_, next_) = two_grids(stage, words);
    next_.zero();  // by rows, the words that pad a row are never written again
    RATCHET_CUDA(
        cudaMemcpy(now_.data(), start.words().data(), 4 * by_rows, cudaMemcpyHostToDevice));
    if (order == Order::columns) {
      transpose(now_.data(), grid_pitch_, next_.data(), pitch_, rows_, columns_);
      std::swap(now_, next_);
    }
    RATCHET_CUDA(cudaStreamSynchronize(nullptr));
  }

  void run() override {
    for (std::uint64_t done = 0; done < steps_; done += kPassSteps) {
      const std::uint64_t left = steps_ - done;
      launch_(Pass{now_.data(), next_.data(), pitch_, static_cast<int>(width_),
                   static_cast<int>(rows_),
                   static_cast<unsigned>(left < kPassSteps ? left : kPassSteps), torus_});
      RATCHET_CUDA_LAUNCHED();
      std::swap(now_, next_);
    }
  }
  void wait() override { RATCHET_CUDA(cudaStreamSynchronize(nullptr)); }
  std::uint64_t units() const override { return units_; }

  Grid collect() override {
    Grid grid(width_, rows_);
    DeviceBuffer<std::uint32_t>* by_rows = &now_;
    if (order_ == Order::columns) {
      // Between two runs the other grid is free. Zeroed for the words that pad a row.
      by_rows = &next_;
      next_.zero();
      transpose(now_.data(), pitch_, next_.data(), grid_pitch_, columns_, rows_);
    }
    RATCHET_CUDA(cudaMemcpy(grid.words().data(), by_rows->data(),
                            grid.words().size() * sizeof(std::uint64_t), cudaMemcpyDeviceToHost));
    return grid;
  }

 private:
  static void transpose(const std::uint32_t* from, std::uint64_t from_pitch, std::uint32_t* to,
                        std::uint64_t to_pitch, std::uint32_t rows, std::uint32_t columns) {
    const dim3 blocks((columns + 31) / 32, (rows + 31) / 32);
    transpose_words<><<<blocks, dim3(32, 8)>>>(from, from_pitch, to, to_pitch, rows, columns);
    RATCHET_CUDA_LAUNCHED();
  }

  Launch launch_;
  Order order_;
  std::uint64_t steps_, units_;
  bool torus_;
  std::uint64_t width_;
  std::uint32_t rows_, columns_;  // words of 32 cells
  std::uint32_t grid_pitch_;      // 32-bit words of a row of the Grid
  std::uint64_t pitch_;
  DeviceBuffer<std::uint32_t> now_, next_;
};

}  // namespace ratchet::life
