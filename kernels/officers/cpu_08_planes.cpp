// officers/cpu/08_planes
// Changed:  what 64 positions saw is kept in bit planes in registers; table lookups of a vector's
//           width mark them, in place of a store for every sum. Threads take blocks of 64 in turn,
//           as in 06.
// Why:      a lookup marks eight bytes' bits for 64 positions; 07 stores 1200 times for each value.
// Expected: 500 cycles to find a value and 330 to verify it, 3.6 M values/s for each thread of
//           3 GHz; the segment that is done one block after the other, 900 cycles for 64 values,
//           decides from 60 threads on. In fact the first version took half as much again, this
//           one a sixth more (STAGES.md).
// Source:   ratchet; blocks in turn are 06's.
#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/officers/planes/planes.h"
#include "kernels/officers/rare_values/rare_values.h"
#include "kernels/officers/simd/tables.h"
#include "kernels/officers/values/compressed.h"
#include "kernels/officers/whole/whole.h"

namespace ratchet::officers {
namespace {

/// The values that follow a state, by planes, and by the definition where planes do not do.
class PlanesValues {
 public:
  PlanesValues(const State& from, std::uint64_t count, std::uint64_t threads)
      : tables_(from, count), job_(planes_job(tables_.job(0, count))) {
    job_.threads = threads;
  }
  /// The values after `from`, which the tables were made of, to `out`.
  void compute(const State& from, std::uint16_t* out, Work& work) {
    const std::uint64_t count = job_.simd.count;
    std::fill_n(&tables_.value(0), count, std::uint8_t{0});  // not those of another run
    std::uint64_t done = from.late_rare() ? 0 : by_planes(0, out, work);
    if (done == count) return;
    State state = from;
    state.append({out, out + done});
    while (done < count) {
      out[done] = static_cast<std::uint16_t>(exact_value(state, work.verifying));
      tables_.value(done) = compress(out[done]);
      state.append(out[done++]), ++work.exact;
      if (state.late_rare()) continue;
      const std::uint64_t made = by_planes(done, out, work);
      state.append({out + done, out + done + made});
      done += made;
    }
  }

 private:
  /// From `done` on, as far as planes do; how many.
  std::uint64_t by_planes(std::uint64_t done, std::uint16_t* out, Work& work) {
    PlanesJob rest = job_;
    rest.simd = tables_.job(done, job_.simd.count - done);
    rest.out = out + done;
    return compute_by_planes(rest, work);
  }

  Tables tables_;
  PlanesJob job_;
};

class PlanesRun final : public Run {
 public:
  PlanesRun(const Parameters& parameters, const State& from)
      : from_(from), count_(parameters.at("count")), threads_(parameters.at("threads")) {
    if (begins_common()) values_ = std::make_unique<PlanesValues>(from_, count_, threads_);
  }
  void run() override {
    work_ = {};
    made_.assign(count_, 0);
    if (values_) return values_->compute(from_, made_.data(), work_);
    State state = from_;
    RareValues first(state);
    std::uint64_t done = 0;
    for (; done < count_ && state.next < kCommonFrom; ++done)
      state.append(made_[done] = first.next(work_));
    PlanesValues(state, count_ - done, threads_).compute(state, made_.data() + done, work_);
  }
  std::uint64_t units() const override { return count_; }
  Result collect() override { return {from_.next, made_, work_}; }

 private:
  /// Else the values before kCommonFrom come first, which run() finds.
  bool begins_common() const { return from_.next >= kCommonFrom || from_.late_rare(); }

  State from_;
  std::uint64_t count_, threads_;
  std::unique_ptr<PlanesValues> values_;
  std::vector<std::uint16_t> made_;
  Work work_;
};

/// 1740 sums of a value go to 20 planes, 1487 of them are compared with 7 candidates (STAGES.md). A
/// comparison of bytes takes the port of a lookup.
constexpr double kByteLookups = 1740 * 20 + 1487 * 7;

StageInfo info() {
  std::vector<Parameter> parameters = common_parameters(1 << 19);
  parameters.push_back(threads_parameter());
  return stage_info({.name = RATCHET_STAGE,
                     .summary = "Bit planes of 64 positions, on several threads, verified",
                     .source = "ratchet",
                     .limit = {"cpu.byte_lookups", kByteLookups},
                     .parameters = std::move(parameters),
                     .threads = "threads",
                     .survey = grid({{"threads", {1, 2, 4, 8, 16}}})});
}

const Registration registered{std::make_unique<CpuStage<PlanesRun>>(info(), true)};

}  // namespace
}  // namespace ratchet::officers
