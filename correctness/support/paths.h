// The paths that a stage takes by the machine it is on: instruction sets and numbers of threads.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

#include "kernels/contract/stage.h"
#include "kernels/support/ranks/part.h"

namespace ratchet::correctness {

/// Every dispatch in this process goes to this instruction set while it lives. For tests in one
/// thread: the choice is the process's.
class OneTarget {
 public:
  explicit OneTarget(std::int64_t target) { hwy::SetSupportedTargetsForTest(target); }
  ~OneTarget() { hwy::SetSupportedTargetsForTest(0); }
  OneTarget(const OneTarget&) = delete;
  OneTarget& operator=(const OneTarget&) = delete;
};

/// Numbers of threads that a mistake in sharing out shows at: all small ones, primes, and one
/// below, at and above the sizes that masks, slots and groups come in.
inline std::vector<std::uint64_t> thread_counts() {
  return {1,  2,  3,  4,  5,  6,  7,  8,  9,   11,  13,  16, 17,
          31, 32, 33, 61, 63, 64, 65, 97, 127, 128, 129, 131};
}

/// Two runs of the sanitizers' point on 19 threads, where the stage has threads: more than the
/// slots of eight that threads may wrongly share, which ci/tsan is to see. Whether as much was done
/// as asked.
inline bool runs_on_many_threads(const Stage& stage) {
  if (stage.info().backend != Backend::cpu || !stage.info().threaded()) return true;
  const auto instance = stage.prepare(stage.sanitizer_run().set(stage.info().threads, 19));
  const std::uint64_t units = instance->units();
  for (int run = 0; run < 2; ++run) {
    instance->reset();
    instance->run();
    instance->wait();
  }
  return units > 0 && instance->units() == units;
}

}  // namespace ratchet::correctness

namespace ratchet {

/// Whether what a stage computes, a CPU computes, in this process or in those of its ranks, too.
/// (Stages of ranks that take GPUs are unavailable without one.)
inline bool computes_on_cpu(const Stage& stage) {
  return stage.info().backend == Backend::cpu ||
         (stage.info().backend == Backend::mpi && !ranks::takes_gpus(stage));
}
/// Whether a GPU of CUDA's does, or those of its ranks.
inline bool computes_with_cuda(const Stage& stage) {
  return stage.info().backend == Backend::cuda || ranks::takes_gpus(stage);
}

}  // namespace ratchet
