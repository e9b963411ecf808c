// A resident universe (cuda_resident.cuh) as a stage hands it out: one launch a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "kernels/life/resident/cuda_resident.cuh"
#include "kernels/life/strided/cuda_strided_universe.cuh"

namespace ratchet::life::resident {

/// Blocks that a universe is cut into, no more than `multiprocessors`; 0: it does not fit. Every
/// block has rows enough for its warps and a halo; a tile has one dead border at most.
template <class Shape>
std::uint32_t blocks_for(const strided::Layout& layout, std::uint32_t multiprocessors) {
  if (layout.words > Shape::kRowWords || layout.gathers()) return 0;
  const std::uint32_t blocks = std::min(multiprocessors, layout.height / Shape::kLeastOwn);
  if (blocks < (layout.edge == Edge::torus ? 1 : 2)) return 0;
  return (layout.height + blocks - 1) / blocks <= Shape::kOwn ? blocks : 0;
}

template <class Shape>
class ResidentUniverse final : public Universe {
 public:
  ResidentUniverse(const std::string& stage, const Parameters& parameters, const Grid& start,
                   const strided::Layout& layout, std::uint32_t blocks)
      : steps_(static_cast<std::uint32_t>(parameters.at("steps"))),
        units_(cell_updates(parameters)),
        blocks_(blocks),
        field_(stage, layout, start),
        halos_(halo_words<Shape>(blocks)) {
    halos_.zero();
    RATCHET_CUDA(cudaFuncSetAttribute(kernel(), cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      Shape::kSharedBytes));
  }

  void run() override {
    Job job{field_.current(), field_.other(), field_.layout(), steps_, halos_.data(), tag_};
    void* arguments[] = {&job};
    // Blocks wait for each other, so all must be there at once.
    RATCHET_CUDA(cudaLaunchCooperativeKernel(kernel(), blocks_, Shape::kWarps * 32, arguments,
                                             Shape::kSharedBytes, nullptr));
    tag_ += (steps_ - 1) / Shape::T;
    field_.swap();
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return units_; }
  Grid collect() override { return field_.collect(); }

 private:
  const void* kernel() const {
    const strided::Layout& layout = field_.layout();
    if (layout.edge == Edge::torus) return reinterpret_cast<const void*>(reside<Shape, Rim::torus>);
    if (layout.width == layout.words * 32)
      return reinterpret_cast<const void*>(reside<Shape, Rim::aligned>);
    return reinterpret_cast<const void*>(reside<Shape, Rim::masked>);
  }

  std::uint32_t steps_;
  std::uint64_t units_;
  std::uint32_t blocks_, tag_ = 0;
  strided::Field field_;
  DeviceBuffer<Tagged> halos_;
};

/// Whether deep tiles are the faster way on an H200: they leave idle what rows are shorter than a
/// warp's, and multiprocessors that there are no rows for. From 9216 x 9216 cells up they are.
template <class Shape>
bool worth_it(const strided::Layout& layout, std::uint32_t multiprocessors) {
  const std::uint64_t words = std::uint64_t{layout.words} * layout.height;
  const std::uint64_t most = std::uint64_t{Shape::kRowWords} * Shape::kOwn * multiprocessors;
  return !Shape::kDeep || 4 * words >= most;
}

/// The universe in the first of the shapes that it fits; nullptr: in none, or 05 is faster and not
/// `always` asked for.
template <class... Shapes>
std::unique_ptr<Universe> make_resident_universe(const std::string& stage,
                                                 const Parameters& parameters, const Grid& start,
                                                 bool always) {
  int device = 0, multiprocessors = 0, cooperative = 0, shared_bytes = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  RATCHET_CUDA(
      cudaDeviceGetAttribute(&shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  std::unique_ptr<Universe> universe;
  const auto try_shape = [&]<class Shape>() {
    if (universe || Shape::kSharedBytes > shared_bytes || start.width() > Shape::kRowWords * 32)
      return;
    const strided::Layout layout = strided::make_layout(static_cast<std::uint32_t>(start.width()),
                                                        static_cast<std::uint32_t>(start.height()),
                                                        Shape::K, edge_of(parameters));
    const auto most = static_cast<std::uint32_t>(multiprocessors);
    const std::uint32_t blocks = blocks_for<Shape>(layout, most);
    if (blocks > 0 && (always || worth_it<Shape>(layout, most)))
      universe =
          std::make_unique<ResidentUniverse<Shape>>(stage, parameters, start, layout, blocks);
  };
  if (cooperative != 0) (try_shape.template operator()<Shapes>(), ...);
  return universe;
}

}  // namespace ratchet::life::resident
