// Stages on the CPU that work on bytes: what comes before bytes do, and after a discovery.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/officers/officers.h"
#include "kernels/officers/rare_values/rare_values.h"
#include "kernels/officers/simd/simd.h"

namespace ratchet::officers {

/// `Values` is made from (parameters, values of all positions so far, rares, count) and has
///   std::uint64_t compute(std::vector<std::uint16_t>& out, Work&)
/// which adds up to `count` verified values to `out` and returns how many.
template <class Values>
class CommonRun final : public Run {
 public:
  CommonRun(const Parameters& parameters, const State& from)
      : parameters_(parameters),
        from_(from),
        count_(parameters.at("count")),
        whole_(whole_values(from)) {}
  void run() override {
    work_ = {}, made_.clear();
    State state = from_;
    std::vector<std::uint16_t> whole = whole_;
    if (state.next < kCommonFrom) {
      RareValues first(state);
      while (state.next < kCommonFrom && made_.size() < count_) {
        made_.push_back(first.next(work_));
        state.append(made_.back());
      }
      whole = first.values();
    }
    const std::uint64_t left = count_ - made_.size();
    if (left > 0 && !state.late_rare())
      Values(parameters_, whole, state.rares, left).compute(made_, work_);
    if (made_.size() < count_) compute_anew(from_, made_, made_.size(), count_);
  }
  std::uint64_t units() const override { return count_; }
  Result collect() override { return {from_.next, made_, work_}; }

 private:
  Parameters parameters_;
  State from_;
  std::uint64_t count_;
  std::vector<std::uint16_t> whole_, made_;
  Work work_;
};

}  // namespace ratchet::officers
