// Stages on one CPU core that work on whole values, all of them kept.
#pragma once

#include <memory>
#include <vector>

#include "kernels/officers/officers.h"
#include "kernels/officers/rare_values/rare_values.h"

namespace ratchet::officers {

/// A stage of `Next`, which is made from the values known and gives the next one by
/// `std::uint16_t operator()(const std::vector<std::uint16_t>& values, Work& work)`.
template <class Next>
class WholeRun final : public Run {
 public:
  WholeRun(const Parameters& parameters, const State& from)
      : start_(from.next), count_(parameters.at("count")), values_(whole_values(from)) {}
  void run() override {
    values_.resize(start_);
    work_ = {};
    Next next;
    for (std::uint64_t i = 0; i < count_; ++i)
      values_.push_back(values_.size() < 2 ? std::uint16_t{0} : next(values_, work_));
  }
  std::uint64_t units() const override { return count_; }
  Result collect() override {
    return {start_, {values_.begin() + static_cast<std::ptrdiff_t>(start_), values_.end()}, work_};
  }

 private:
  std::uint64_t start_, count_;
  std::vector<std::uint16_t> values_;
  Work work_;
};

/// A verified CPU stage whose runs are of `RunType`, made from parameters and state.
template <class RunType>
class CpuStage final : public OfficersStage {
 public:
  using OfficersStage::OfficersStage;
  std::unique_ptr<Run> prepare_run(const Parameters& parameters, const State& from) const override {
    return std::make_unique<RunType>(parameters, from);
  }
};

template <class RunType>
std::unique_ptr<Stage> make_cpu_stage(std::string name, std::string summary, std::string source,
                                      std::uint64_t count) {
  return std::make_unique<CpuStage<RunType>>(
      stage_info({.name = std::move(name),
                  .summary = std::move(summary),
                  .source = std::move(source),
                  .parameters = common_parameters(count)}),
      true);
}

}  // namespace ratchet::officers
