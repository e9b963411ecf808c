// Makes stages of the text's kernels: buffers, launches, results.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/officers/device/ptx.cuh"
// After it, which it uses:
#include "kernels/officers/blocks/block.cuh"
#include "kernels/officers/blocks/plan.h"
#include "kernels/officers/front/plan.h"
#include "kernels/officers/values/compressed.h"
#include "kernels/support/device_buffer.h"
#include "perf/support/error.h"

namespace ratchet::officers::blocks {

/// A kernel of blocks of `threads` threads, which compute as many values.
struct Kernel {
  const void* function;
  std::uint32_t threads;
  std::size_t shared_bytes;
  /// One run of `job` by `blocks` blocks of threads.
  std::function<void(const Job& job, std::uint32_t blocks)> launch;
};

/// How many blocks of it the device holds at once. Throws Error where that is fewer than `blocks`,
/// which would wait for each other for ever.
inline void require_resident(const Kernel& kernel, std::uint64_t blocks) {
  int device = 0, multiprocessors = 0, each = 0, cooperative = 0;
  RATCHET_CUDA(cudaGetDevice(&device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  RATCHET_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
  RATCHET_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &each, kernel.function, static_cast<int>(kernel.threads), kernel.shared_bytes));
  const std::uint64_t resident = std::uint64_t{1} * multiprocessors * each;
  if (cooperative == 0 || resident < blocks)
    throw Error("officers: " + std::to_string(blocks) + " blocks of " +
                std::to_string(kernel.threads) + " threads wait for each other, and the device holds " +
                std::to_string(cooperative == 0 ? 0 : resident) + " at once: set blocks lower");
}

/// A kernel whose blocks wait for each other: launched so that all are resident, or not at all.
template <class Shape, class... Arguments>
Kernel cooperative(void (*function)(Job, Arguments...), Arguments... arguments) {
  Kernel kernel{reinterpret_cast<const void*>(function), Shape::kBlock, sizeof(BlockMemory<Shape>),
                {}};
  kernel.launch = [=](const Job& job, std::uint32_t blocks) {
    void* all[] = {const_cast<Job*>(&job),
                   const_cast<void*>(static_cast<const void*>(&arguments))...};
    RATCHET_CUDA(cudaLaunchCooperativeKernel(kernel.function, dim3(blocks), dim3(Shape::kBlock), all,
                                             sizeof(BlockMemory<Shape>), nullptr));
  };
  return kernel;
}

class BlocksRun final : public Run {
 public:
  BlocksRun(const Parameters& parameters, const State& from, Kernel kernel, std::uint64_t blocks)
      : start_(from.next),
        count_(static_cast<std::uint32_t>(parameters.at("count"))),
        blocks_(static_cast<std::uint32_t>(blocks)),
        kernel_(std::move(kernel)),
        tables_(front::make_tables(from, kernel_.threads)),
        values_(kKeep + std::size_t{chunks()} * kernel_.threads),
        rares_(tables_.rares),
        ends_(step_ends(tables_.rares, kernel_.threads, blocks_)),
        masks_(std::size_t{8} * blocks_ * kernel_.threads),
        fresh_(kSlots * kernel_.threads / 4),
        control_(1) {
    require_resident(kernel_, blocks);
    RATCHET_CUDA(cudaMemcpy(values_.data(), tables_.values.data(), kKeep, cudaMemcpyHostToDevice));
  }

  void run() override {
    control_.zero(), fresh_.zero();
    if (count_ == 0) return;
    kernel_.launch({chunks(), values_.data(), rares_.data(),
                    static_cast<std::uint32_t>(rares_.size()), control_.data(), kPatience,
                    ends_.data(), masks_.data(), fresh_.data()},
                   blocks_);
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return count_; }

  Result collect() override {
    wait();
    const Control control = control_.download()[0];
    check_control(control, start_);
    Result result{start_, {}, {}};
    result.work.rounds = control.rounds, result.work.speculations = control.speculations;
    result.work.blocks = chunks(), result.work.options = rares_.size() * std::uint64_t{count_};
    std::vector<std::uint8_t> bytes(count_);
    RATCHET_CUDA(cudaMemcpy(bytes.data(), values_.data() + kKeep, count_, cudaMemcpyDeviceToHost));
    for (const std::uint8_t byte : bytes)
      result.values.push_back(static_cast<std::uint16_t>(uncompress(byte, false)));
    return result;
  }

 private:
  /// A wait of this many nanoseconds is none that ends.
  static constexpr std::uint64_t kPatience = 5'000'000'000;

  std::uint32_t chunks() const { return (count_ + kernel_.threads - 1) / kernel_.threads; }

  std::uint64_t start_;
  std::uint32_t count_, blocks_;
  Kernel kernel_;
  front::Tables tables_;
  DeviceBuffer<std::uint8_t> values_;
  DeviceBuffer<std::uint32_t> rares_, ends_, masks_;
  DeviceBuffer<std::uint64_t> fresh_;
  DeviceBuffer<Control> control_;
};

/// The speculative stage of `Idea`, which has
///   static StageInfo info();  its name, summary, source and parameters of its own
///   template <int kBlock> static Kernel kernel(const Parameters&);
/// and takes the parameters block and, where it has it, blocks.
template <class Idea>
class BlocksStage final : public OfficersStage {
 public:
  BlocksStage() : OfficersStage(with_common(Idea::info()), false) {}
  bool takes(const State& state) const override { return front::can_launch(state); }
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    front::require_launch(info().name, from);
    const std::uint64_t blocks = parameters.has("blocks") ? parameters.at("blocks") : 1;
    return std::make_unique<BlocksRun>(parameters, from, kernel(parameters), blocks);
  }

 private:
  Kernel kernel(const Parameters& parameters) const {
    switch (parameters.at("block")) {
      case 128: return Idea::template kernel<128>(parameters);
      case 256: return Idea::template kernel<256>(parameters);
      case 512: return Idea::template kernel<512>(parameters);
      case 1024: return Idea::template kernel<1024>(parameters);
    }
    throw Error(info().name + ": block is 128, 256, 512 or 1024: got " +
                std::to_string(parameters.at("block")));
  }
  static StageInfo with_common(StageInfo info) {
    std::vector<Parameter> parameters = far_parameters(0);
    parameters[0].min = kCommonFrom;
    parameters[1].max = std::uint64_t{1} << 28;
    for (Parameter& own : info.parameters)
      if (own.name == "count") parameters[1].value = own.value;
      else parameters.push_back(std::move(own));
    info.parameters = std::move(parameters);
    info.sanitizer_run = {{"start", kCommonFrom}, {"count", 2048}};
    return stage_info(std::move(info), false);
  }
};

/// Values of a run by default.
inline Parameter count_of(std::uint64_t count) { return {"count", count, 0, 0, ""}; }
inline Parameter block_of(std::uint64_t block) {
  return {"block", block, 128, 1024, "values, and threads, of a block: 128, 256, 512 or 1024"};
}
inline Parameter blocks_of(std::uint64_t blocks) {
  return {"blocks", blocks, 1, kMostTurns, "blocks of threads that take turns"};
}

}  // namespace ratchet::officers::blocks
