// graveler/cpu/10_chunk_per_task
// Changed:  as many tasks as threads; each plays its even share in one go.
// Why:      nothing has to be balanced: all battles take the same time.
// Expected: the overhead gone, and as many times 08 as there are processors.
// Source:   Barr, "The Solution".

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/thread_sanitizer.h"

namespace ratchet::graveler {
namespace {

class Chunks final : public Crew {
 public:
  explicit Chunks(std::uint32_t threads)
      : threads_(threads),
        allowed_(tbb::global_control::max_allowed_parallelism, threads),
        arena_(static_cast<int>(threads)) {}

  std::uint32_t workers() const override { return threads_; }

  void spread(std::uint64_t battles, const Play& play) override {
    pool_order::loop_begins();
    arena_.execute([&] {
      // The task, not the thread that happens to run it, owns the worker: results do not depend on
      // the scheduling.
      tbb::parallel_for(
          tbb::blocked_range<std::uint32_t>(0, threads_, 1),
          [&](const tbb::blocked_range<std::uint32_t>& range) {
            pool_order::task_begins();
            for (std::uint32_t task = range.begin(); task != range.end(); ++task)
              play(task, even_share(battles, threads_, task));
            pool_order::task_ends();
          },
          tbb::simple_partitioner());
    });
    pool_order::loop_ended();
  }

 private:
  std::uint32_t threads_;
  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

class ChunkPerTask final : public CpuStage {
 public:
  using CpuStage::CpuStage;

 protected:
  std::unique_ptr<Crew> crew(const Parameters& parameters) const override {
    return std::make_unique<Chunks>(static_cast<std::uint32_t>(parameters.at("threads")));
  }
};

const Registration registered{std::make_unique<ChunkPerTask>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "As many tasks as threads, an even share each",
                .source = text("The Solution"),
                .limit = {"cpu.vector_ops", kXoshiroX8OpsPerBattle},
                .parameters = common_parameters(40'000'000, {threads_parameter()}),
                .threads = "threads",
                .sweep = thread_sweep()}),
    xoshiro_x8_layout(), &make_xoshiro_x8_worker)};

}  // namespace
}  // namespace ratchet::graveler
