// Makes a stage of a front kernel: buffers, the cooperative launch, the result.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/officers/device/ptx.cuh"
#include "kernels/officers/front/job.h"
#include "kernels/officers/front/plan.h"
#include "kernels/support/device_buffer.h"
#include "perf/support/error.h"

namespace ratchet::officers::front {

/// Of kExtend, a kernel of kernel.cuh for Shape.
template <class Shape, void (*kExtend)(Job)>
class FrontRun final : public Run {
 public:
  FrontRun(const Parameters& parameters, const State& from)
      : from_(from),
        count_(static_cast<std::uint32_t>(parameters.at("count"))),
        tables_(make_tables(from, Shape::kLookback)),
        values_(kKeep + std::size_t{chunks()} * Shape::kBlock),
        fresh_(kSlots * Shape::kBlock / 4),
        candidates_(kSlots * 3 * Shape::kBlock),
        rares_(tables_.rares),
        head_(tables_.head),
        head_rare_(tables_.head_rare),
        undecided_(kMostUndecided),
        control_(1) {
    RATCHET_CUDA(cudaMemcpy(values_.data(), tables_.values.data(), kKeep, cudaMemcpyHostToDevice));
    RATCHET_CUDA(cudaFuncSetAttribute(kExtend, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(Shape::kSharedBytes)));
    const std::uint32_t blocks = resident_blocks();
    const auto asked = static_cast<std::uint32_t>(parameters.at("preparers"));
    if (blocks < 3)
      throw Error("officers: the kernel needs 3 resident blocks of threads and the device holds " +
                  std::to_string(blocks));
    preparers_ = std::clamp(asked == 0 ? (blocks - 1) * 2 / 3 : asked, 1u,
                            std::min(blocks - 2, kSlots / 2));
    verifiers_ = blocks - 1 - preparers_;
  }

  void run() override {
    fresh_.zero(), candidates_.zero(), control_.zero();
    if (count_ == 0) return;
    Job job{count_,          chunks(),    values_.data(),    fresh_.data(), candidates_.data(),
            rares_.data(),   static_cast<std::uint32_t>(rares_.size()),
            tables_.far_rares, head_.data(), head_rare_.data(), preparers_,    verifiers_,
            undecided_.data(), control_.data(), kPatience};
    void* arguments[] = {&job};
    RATCHET_CUDA(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(kExtend),
                                             dim3(1 + preparers_ + verifiers_),
                                             dim3(Shape::kThreads), arguments,
                                             Shape::kSharedBytes, nullptr));
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return count_; }

  Result collect() override {
    wait();
    const Control control = control_.download()[0];
    check_control(control, from_.next);
    Result result{from_.next, {}, {}};
    result.work.verifying = control.verifying, result.work.deepest = control.deepest;
    result.work.rounds = control.rounds, result.work.exact = control.exact;
    result.work.blocks = chunks(), result.work.options = rares_.size() * std::uint64_t{count_};
    std::vector<std::uint32_t> undecided(control.undecided);
    std::vector<std::uint8_t> bytes(count_);
    if (!undecided.empty())
      RATCHET_CUDA(cudaMemcpy(undecided.data(), undecided_.data(), undecided.size() * 4,
                              cudaMemcpyDeviceToHost));
    RATCHET_CUDA(cudaMemcpy(bytes.data(), values_.data() + kKeep, count_, cudaMemcpyDeviceToHost));
    result.values = decide(from_, bytes, std::move(undecided), result.work);
    return result;
  }

 private:
  /// A wait of this many nanoseconds is none that ends.
  static constexpr std::uint64_t kPatience = 5'000'000'000;

  std::uint32_t chunks() const { return (count_ + Shape::kBlock - 1) / Shape::kBlock; }
  static std::uint32_t resident_blocks() {
    int device = 0, multiprocessors = 0, each = 0;
    RATCHET_CUDA(cudaGetDevice(&device));
    RATCHET_CUDA(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    RATCHET_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &each, kExtend, static_cast<int>(Shape::kThreads), Shape::kSharedBytes));
    // One a multiprocessor: the front is to have its own.
    return each > 0 ? static_cast<std::uint32_t>(multiprocessors) : 0;
  }

  State from_;
  std::uint32_t count_, preparers_ = 0, verifiers_ = 0;
  Tables tables_;
  DeviceBuffer<std::uint8_t> values_;
  DeviceBuffer<std::uint64_t> fresh_, candidates_;
  DeviceBuffer<std::uint32_t> rares_, head_, head_rare_, undecided_;
  DeviceBuffer<Control> control_;
};

}  // namespace ratchet::officers::front
