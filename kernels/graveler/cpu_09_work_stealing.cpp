// graveler/cpu/09_work_stealing
// Changed:  a task for every two battles, spread by a work-stealing scheduler (oneTBB), generators
//           kept per thread; as the text tells of rayon, which itself cuts a range into fewer.
// Why:      all processors instead of one, with one changed line.
// Expected: the text: 4.6 s -> 985 ms. A task costs some 20 ns and more, the
//           battles in it 3 ns: slower than one thread of 08 on any machine with few processors.
//           In fact a task costs many times the work in it. Raise `grain` to see it vanish.
// Source:   Barr, "More Threads - Sub 1 Second".

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/thread_sanitizer.h"

namespace ratchet::graveler {
namespace {

class Stealing final : public Crew {
 public:
  Stealing(std::uint32_t threads, std::uint64_t grain)
      : threads_(threads),
        grain_(grain),
        // TBB by itself starts no more threads than there are processors; the sweep asks for more.
        allowed_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {}

  std::uint32_t workers() const override { return threads_; }

  void spread(std::uint64_t battles, const Play& play) override {
    const std::uint64_t tasks = battles / grain_ + (battles % grain_ ? 1 : 0);
    pool_order::loop_begins();
    arena_.execute([&] {
      // Grain 1 and the simple partitioner: a task for every `grain_` battles, each up for
      // stealing.
      tbb::parallel_for(
          tbb::blocked_range<std::uint64_t>(0, tasks, 1),
          [&](const tbb::blocked_range<std::uint64_t>& range) {
            pool_order::task_begins();
            const auto worker =
                static_cast<std::uint32_t>(tbb::this_task_arena::current_thread_index());
            for (std::uint64_t task = range.begin(); task != range.end(); ++task)
              play(worker, std::min(grain_, battles - task * grain_));
            pool_order::task_ends();
          },
          tbb::simple_partitioner());
    });
    pool_order::loop_ended();
  }

 private:
  std::uint32_t threads_;
  std::uint64_t grain_;
  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

class WorkStealing final : public CpuStage {
 public:
  using CpuStage::CpuStage;

 protected:
  std::unique_ptr<Crew> crew(const Parameters& parameters) const override {
    return std::make_unique<Stealing>(static_cast<std::uint32_t>(parameters.at("threads")),
                                      parameters.at("grain"));
  }
};

const Registration registered{std::make_unique<WorkStealing>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "A stealable task for every two battles, state kept per thread",
                .source = text("More Threads - Sub 1 Second"),
                .limit = {"cpu.vector_ops", kXoshiroX8OpsPerBattle},
                .parameters = common_parameters(
                    1'000'000,
                    {threads_parameter(), {"grain", 2, 1, 1'000'000'000, "battles a task plays"}}),
                .threads = "threads",
                .sweep = thread_sweep()}),
    xoshiro_x8_layout(), &make_xoshiro_x8_worker)};

}  // namespace
}  // namespace ratchet::graveler
