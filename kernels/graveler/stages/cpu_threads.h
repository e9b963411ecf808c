// The crew of plain threads, shared by the stages that differ in what their workers do.
#pragma once

#include "kernels/graveler/stages/cpu_stage.h"

namespace ratchet::graveler {

/// `threads` workers with even shares: worker 0 on the calling thread, the others on threads
/// started for each run and joined at its end. Throws `Error` when the system refuses a thread, and
/// whatever a worker threw; all threads are joined first.
class ThreadCrew final : public Crew {
 public:
  explicit ThreadCrew(std::uint32_t threads) : threads_(threads) {}
  std::uint32_t workers() const override { return threads_; }
  void spread(std::uint64_t battles, const Play& play) override;

 private:
  std::uint32_t threads_;
};

/// A CpuStage played by a ThreadCrew; its parameters hold threads_parameter().
class ThreadedCpuStage final : public CpuStage {
 public:
  using CpuStage::CpuStage;

 protected:
  std::unique_ptr<Crew> crew(const Parameters& parameters) const override;
};

}  // namespace ratchet::graveler
