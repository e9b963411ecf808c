// What the CPU stages of tiny_mc share: chunks of photons, and the stage made of them.
//
// Photons come in chunks of kChunk. Chunk c draws from stream c of the seed, whoever simulates it,
// and chunks are gathered in tasks whose tallies are added in the order of their index: so the
// result does not depend on threads, bit for bit.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// Photons of a chunk: few enough for a first-level cache, enough to fill vectors with those few
/// that survive roulette.
inline constexpr std::uint32_t kChunk = 2048;

/// What a body needs to know.
struct Job {
  explicit Job(const Parameters& parameters);
  Medium medium;
  Schedule schedule;
  std::uint64_t seed;
};

/// A stage's walk, over two sinks. Both simulate `photons` (at most kChunk) photons on stream
/// `stream`.
struct Body {
  void (*simulate)(const Job& job, std::uint64_t stream, std::uint32_t photons, Tally& tally);
  /// Records them as photons `first`, first + 1, ... of the sized trace.
  void (*record)(const Job& job, std::uint64_t stream, std::uint32_t photons, Trace& trace,
                 std::uint64_t first);
};

/// A run cut into at most kTasks pieces of whole chunks, whatever the number of threads.
class Tasks {
 public:
  static constexpr std::uint64_t kTasks = 1024;
  explicit Tasks(std::uint64_t photons);
  std::uint64_t chunks() const { return chunks_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(tasks_); }
  /// Simulates the photons of task `task` into `tally` (which is cleared); `first_stream` is the
  /// stream of the run's first chunk.
  void simulate(const Body& body, const Job& job, std::uint64_t first_stream, std::uint32_t task,
                Tally& tally) const;

 private:
  std::uint64_t photons_, chunks_, chunks_per_task_, tasks_;
};

/// A tiny_mc stage on one thread; its limit is "cpu.scalar_ops" or "cpu.vector_ops", of one core.
/// run() goes on where the last one stopped in the seed's streams.
class CpuStage : public PhotonStage {
 public:
  CpuStage(StageInfo info, Walk walk, Body body, const Draws& draws)
      : PhotonStage(std::move(info), walk), body_(body), draws_(draws) {}
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override;
  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override;

 protected:
  const Body& body() const { return body_; }

 private:
  Body body_;
  Draws draws_;
};

/// What all runs on the CPU share; a derived class spreads the tasks.
class CpuTransport : public Transport {
 public:
  CpuTransport(const Parameters& parameters, Body body);
  void run() final;
  std::uint64_t units() const final { return photons_; }
  Tally collect() final { return total_; }

 protected:
  /// Calls simulate(task) once for every task below `tasks`, and returns when all are done.
  virtual void spread(std::uint32_t tasks);
  void simulate(std::uint32_t task);

 private:
  Job job_;
  Body body_;
  std::uint64_t photons_, first_stream_ = 0;
  Tasks tasks_;
  std::vector<Tally> tallies_;
  Tally total_;
};

}  // namespace ratchet::tiny_mc
