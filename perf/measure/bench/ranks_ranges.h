// NVTX ranges of runs on every rank. Only rank 0's program makes the ranges of a row.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kernels/support/ranks/observer.h"
#include "perf/measure/nvtx.h"

namespace ratchet::bench {

/// Wraps an observer, and puts each run into a range named like the stage.
class RangesOfRuns final : public ranks::RunObserver {
 public:
  explicit RangesOfRuns(std::unique_ptr<ranks::RunObserver> other) : other_(std::move(other)) {}

  std::string objection() override { return other_->objection(); }
  void prepare(const std::string& stage) override {
    other_->prepare(stage);
    range_.emplace(stage);
  }
  void started() override { other_->started(); }
  ranks::DeviceSpan ended() override {
    range_.reset();
    return other_->ended();
  }

 private:
  std::unique_ptr<ranks::RunObserver> other_;
  std::optional<timing::NvtxRange> range_;
};

}  // namespace ratchet::bench
