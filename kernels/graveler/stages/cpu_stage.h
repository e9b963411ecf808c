// What the CPU stages of graveler share: a worker that plays battles, a crew that spreads them over
// workers, and the stage made of both.
//
// A stage supplies one body (see cpu_rounds-inl.h). Its worker runs that body over three sinks, the
// maximum, the histogram and the trace, and over two sources of words, its own generator and the
// counter stream, so that nothing is computed for a test that is not computed when timed.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/graveler/graveler.h"

namespace ratchet::graveler {

/// Plays battles on one thread; owns the generators of that thread. Each call continues the stream
/// where the last one stopped.
class Worker {
 public:
  virtual ~Worker() = default;
  /// Plays exactly `battles` battles; the most ones in any of them.
  virtual std::uint32_t max_ones(std::uint64_t battles) = 0;
  /// Plays exactly `battles` battles and adds each to its bin.
  virtual void add_to(Histogram& histogram, std::uint64_t battles) = 0;
  /// Plays trace.rounds rounds and writes them into the sized `trace` as group `group`. With
  /// Stream::counter the words come from the counter stream under `seed`.
  virtual void trace(Trace& trace, std::uint32_t group, Stream stream, std::uint64_t seed) = 0;
};

/// Makes worker `index` under `seed`; workers of different index draw from different streams.
using WorkerFactory = std::unique_ptr<Worker> (*)(std::uint64_t seed, std::uint64_t index);

/// Who plays: a fixed number of workers, and the way battles reach them.
class Crew {
 public:
  /// Worker `worker` plays `battles` battles. Never called for one worker from two threads at once.
  using Play = std::function<void(std::uint32_t worker, std::uint64_t battles)>;

  virtual ~Crew() = default;
  virtual std::uint32_t workers() const = 0;
  /// Calls `play` until exactly `battles` battles were handed out; returns when all are played.
  virtual void spread(std::uint64_t battles, const Play& play) = 0;
};

/// One worker on the calling thread.
class Solo final : public Crew {
 public:
  std::uint32_t workers() const override { return 1; }
  void spread(std::uint64_t battles, const Play& play) override { play(0, battles); }
};

/// Worker `worker`'s share when `battles` are dealt evenly: the shares add up to `battles` exactly.
inline std::uint64_t even_share(std::uint64_t battles, std::uint32_t workers,
                                std::uint32_t worker) {
  return battles / workers + (worker < battles % workers ? 1 : 0);
}

/// A graveler stage on the CPU. Its limit is "cpu.scalar_ops", all instructions executed for a
/// battle, or "cpu.vector_ops", operations on 64-bit lanes, loads, stores and moves left out. Both
/// peaks are of one core; for stages with threads they are multiplied by the cores used.
///
/// A crew of one unless a derived class says otherwise. run() continues the workers' streams, so
/// that each run draws fresh numbers and is as cheap as the first; histogram() and trace() start
/// from the seed.
class CpuStage : public GravelerStage {
 public:
  CpuStage(StageInfo info, Layout layout, WorkerFactory make_worker)
      : GravelerStage(std::move(info)), layout_(std::move(layout)), make_worker_(make_worker) {}

  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override;
  Histogram histogram(const Parameters& parameters) const override;
  /// A group is a worker: group g is what worker g draws, at most as many as the crew has.
  Trace trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
              std::uint32_t rounds) const override;
  Layout layout() const override { return layout_; }
  /// Without the AES instructions, which AArch64 has as an option, the stages that draw by them are
  /// unavailable there.
  Availability availability() const override;
  /// Who plays a run under these parameters.
  virtual std::unique_ptr<Crew> crew(const Parameters&) const { return std::make_unique<Solo>(); }

 private:
  std::vector<std::unique_ptr<Worker>> workers(const Parameters& parameters,
                                               std::uint32_t count) const;
  Layout layout_;
  WorkerFactory make_worker_;
};

/// CpuStage compiled for x86-64-v3 (AVX2, BMI2, POPCNT), available where the processor has it, and
/// on no other than x86-64.
class TunedCpuStage final : public CpuStage {
 public:
  using CpuStage::CpuStage;
  Availability availability() const override;
};

/// Layout of the roll-by-roll stages: word t is roll t, its two low bits are the roll, and 0 is a
/// one.
Layout one_word_per_roll_layout();

/// The thread counts of the text's table (1, 2, 4, 6, 8, 10, 12), as points of a sweep.
std::vector<ParameterPoint> thread_sweep();

}  // namespace ratchet::graveler
