// officers/cpu/07_simd
// Changed:  values as bytes, a vector of positions side by side: flags for a part of the options,
//           the others compared with the first candidates only; verification the same way, over
//           head positions from 8191 down, which needs fewer sums than from 0 up.
// Why:      a store for every sum is what 03 spends its time on, and of candidates, as of rare
//           values still missing, there are few.
// Expected: 640 + 640 stores and some 2200 compares a value, of 32 at a time: 1500 cycles, 2 M
//           values a second.
// Source:   ratchet.
#include <algorithm>
#include <utility>

#include "kernels/officers/simd/simd.h"
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

class SimdRun final : public Run {
 public:
  SimdRun(const Parameters& parameters, const State& from)
      : start_(from.next),
        asked_(parameters.at("count")),
        // The tables of the vectors have at least so many first values.
        count_(std::max(asked_, kDescending - std::min(start_, kDescending))),
        values_(from) {}
  void run() override { made_ = values_.compute(count_); }
  std::uint64_t units() const override { return asked_; }
  Result collect() override {
    std::vector<std::uint16_t> values = made_;
    if (values.size() > asked_) values.resize(asked_);
    return {start_, std::move(values), values_.work()};
  }

 private:
  std::uint64_t start_, asked_, count_;
  SimdValues values_;
  std::vector<std::uint16_t> made_;
};

const Registration registered{make_cpu_stage<SimdRun>(
    RATCHET_STAGE, "Vectors of positions, few candidates compared, verified", "ratchet", 131072)};

}  // namespace
}  // namespace ratchet::officers
