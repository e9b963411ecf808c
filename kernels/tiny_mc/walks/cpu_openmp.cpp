// The fork-join of the stages with OpenMP; not a stage.
#include "kernels/tiny_mc/walks/cpu_openmp.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

namespace ratchet::tiny_mc {
namespace {

class OpenMpTransport final : public CpuTransport {
 public:
  OpenMpTransport(const Parameters& parameters, Body body)
      : CpuTransport(parameters, body), threads_(static_cast<int>(parameters.at("threads"))) {}

 private:
  void spread(std::uint32_t tasks) override {
    // OpenMP orders what stands before, in and after the loop; the two atomics say so once more
    // where ThreadSanitizer sees it, since the library is not instrumented.
    std::atomic<std::uint32_t> begun{0}, done{0};
    begun.store(1, std::memory_order_release);
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::uint32_t task = 0; task < tasks; ++task) {
      static_cast<void>(begun.load(std::memory_order_acquire));
      simulate(task);
      done.fetch_add(1, std::memory_order_release);
    }
    static_cast<void>(done.load(std::memory_order_acquire));
  }
  int threads_;
};

}  // namespace

std::unique_ptr<Transport> OpenMpStage::prepare_transport(const Parameters& parameters) const {
  return std::make_unique<OpenMpTransport>(parameters, body());
}

}  // namespace ratchet::tiny_mc
