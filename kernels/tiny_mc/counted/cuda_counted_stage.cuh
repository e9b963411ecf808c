// Turns a counted walk into a stage on CUDA.
//
// A stage file defines a type T with
//   using Walk                                cuda_walks.cuh
//   static constexpr unsigned kThreads, kBlocksPerSm, kUnroll
//   static constexpr Walk kWalk; static StageInfo info();
// and registers std::make_unique<CountedStage<T>>().
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/support/device_buffer.h"
#include "kernels/tiny_mc/counted/cuda_counted.cuh"

namespace ratchet::tiny_mc {

/// Shells up to this have rows of a fixed length in shared memory; more of them make the kernel
/// that multiplies row and length itself.
inline constexpr unsigned kFixedStride = 104;
/// Photons of a launch: no 32-bit counter of a block can overflow.
inline constexpr std::uint64_t kLaunchPhotons = std::uint64_t{1} << 36;

/// A kernel with its launch shape.
template <class T, class Sink>
struct CountedLaunch {
  static constexpr auto kKernel =
      counted_walk<typename T::Walk, Sink, T::kThreads, T::kBlocksPerSm, T::kUnroll>;
  static constexpr unsigned kQueueBytes =
      T::kThreads / 32 * SurvivorQueue<typename T::Walk, Sink::kTraces>::kWords * 4;

  unsigned blocks = 0, shared_bytes = 0;

  void go(const CountedJob& job, typename Sink::Target target) const {
    kKernel<<<blocks, T::kThreads, shared_bytes>>>(job, target);
    RATCHET_CUDA_LAUNCHED();
  }
};

inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&value, attribute, device));
  return value;
}

/// As many blocks as run at once, or fewer where there are not enough photons.
inline unsigned useful_blocks(int per_sm, unsigned threads, std::uint64_t photons) {
  const auto resident = static_cast<std::uint64_t>(std::max(per_sm, 1)) *
                        static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((photons + threads - 1) / threads, 1, resident));
}

/// The shape of the launch that counts; `job.shared_rows` is set to the rows that fit.
template <class T, unsigned kStride>
CountedLaunch<T, CountSink<kStride>> counting_launch(CountedJob& job) {
  using Launch = CountedLaunch<T, CountSink<kStride>>;
  const unsigned stride = kStride > 0 ? kStride : job.shells;
  const auto per_sm =
      static_cast<unsigned>(device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  const auto per_block =
      static_cast<unsigned>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  const unsigned room = std::min(per_block, per_sm / T::kBlocksPerSm - 1024) - Launch::kQueueBytes;
  const unsigned last = std::min(kQueued, job.rounds - 1);
  job.shared_rows = std::min(room / (4 * stride), job.first[last] + job.collisions[last]);
  Launch launch;
  launch.shared_bytes = Launch::kQueueBytes + job.shared_rows * stride * 4;
  RATCHET_CUDA(cudaFuncSetAttribute(Launch::kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(launch.shared_bytes)));
  int resident = 0;
  RATCHET_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, Launch::kKernel,
                                                             T::kThreads, launch.shared_bytes));
  launch.blocks = useful_blocks(resident, T::kThreads, job.photons);
  return launch;
}

inline CountedJob counted_job(const Parameters& parameters, const Schedule& schedule) {
  const Medium medium = medium_of(parameters);
  CountedJob job;
  job.photons = parameters.at("photons");
  job.scale = WalkScale::of(medium);
  job.shells = medium.shells;
  job.survival = static_cast<std::uint32_t>(schedule.survival * 0x1p32);
  job.rounds = static_cast<std::uint32_t>(schedule.rounds.size());
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    job.first[round] = schedule.rounds[round].first;
    job.collisions[round] = schedule.rounds[round].collisions;
  }
  return job;
}

template <class T, unsigned kStride>
class CountedTransport final : public Transport {
 public:
  explicit CountedTransport(const Parameters& parameters)
      : schedule_(schedule_of(medium_of(parameters))),
        job_(counted_job(parameters, schedule_)),
        seed_(parameters.at("seed")),
        photons_(job_.photons),
        rows_(schedule_.collisions_through(schedule_.rounds.size() - 1)),
        counts_(std::size_t{rows_} * job_.shells) {
    job_.counts = counts_.data();
    job_.photons = std::min(photons_, kLaunchPhotons);
    launch_ = counting_launch<T, kStride>(job_);
  }

  void run() override {
    RATCHET_CUDA(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), cudaStreamLegacy));
    for (std::uint64_t done = 0; done < photons_; done += job_.photons) {
      CountedJob job = job_;
      job.photons = std::min(kLaunchPhotons, photons_ - done);
      job.seed = run_seed(seed_, run_++);
      launch_.go(job, {});
    }
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return photons_; }

  Tally collect() override {
    const std::vector<unsigned long long> counts = counts_.download();
    Tally tally(job_.shells);
    std::size_t row = 0;
    for (std::size_t round = 0; round < schedule_.rounds.size(); ++round)
      for (std::uint32_t i = 0; i < schedule_.rounds[round].collisions; ++i, ++row) {
        std::vector<std::uint64_t> in_shell(counts.begin() + row * job_.shells,
                                            counts.begin() + (row + 1) * job_.shells);
        // Every photon makes the first collision: counted, not assumed.
        if (row == 0)
          for (const std::uint64_t count : in_shell) tally.photons += count;
        tally.add_counts(schedule_.deposit(round, i), std::span<const std::uint64_t>(in_shell));
      }
    return tally;
  }

 private:
  Schedule schedule_;
  CountedJob job_;
  std::uint64_t seed_, photons_, run_ = 0;
  std::uint32_t rows_;
  DeviceBuffer<unsigned long long> counts_;
  CountedLaunch<T, CountSink<kStride>> launch_;
};

template <class T>
class CountedStage final : public PhotonStage {
 public:
  CountedStage() : PhotonStage(T::info(), T::kWalk) {}

  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    if (parameters.at("shells") <= kFixedStride)
      return std::make_unique<CountedTransport<T, kFixedStride>>(parameters);
    return std::make_unique<CountedTransport<T, 0>>(parameters);
  }

  /// Counted in integers, summed in double.
  double rounding(const Parameters&, double) const override { return 1e-12; }

  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override {
    CountedJob job = counted_job(parameters, schedule_of(medium_of(parameters)));
    job.seed = run_seed(parameters.at("seed"), 0);
    Trace trace;
    trace.photons = job.photons;
    trace.capacity = capacity;
    trace.parts = {{job.photons, T::Walk::kDraws}};
    if (job.photons == 0) return trace;
    // The grid of the timed kernel, so that both simulate the same photons.
    CountedLaunch<T, CollisionSink> launch;
    launch.blocks = job.shells <= kFixedStride ? counting_launch<T, kFixedStride>(job).blocks
                                               : counting_launch<T, 0>(job).blocks;
    launch.shared_bytes = launch.kQueueBytes;
    RATCHET_CUDA(cudaFuncSetAttribute(launch.kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(launch.shared_bytes)));
    DeviceBuffer<std::uint32_t> made(job.photons);
    DeviceBuffer<Collision> collisions(job.photons * capacity);
    made.zero();
    collisions.zero();
    launch.go(job, {made.data(), collisions.data(), capacity});
    trace.collisions = made.download();
    trace.collision = collisions.download();
    return trace;
  }
};

}  // namespace ratchet::tiny_mc
