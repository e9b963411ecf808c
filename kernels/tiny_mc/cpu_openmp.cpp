// The fork-join of the stages with OpenMP; not a stage.
#include "kernels/tiny_mc/cpu_openmp.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace ratchet::tiny_mc {
namespace {

StageInfo with_threads(StageInfo info) {
  const std::uint64_t processors = std::clamp(std::thread::hardware_concurrency(), 1u, 1024u);
  info.parameters.push_back({"threads", processors, 1, 1024, "threads that simulate at once"});
  return info;
}

class OpenMpTransport final : public CpuTransport {
 public:
  OpenMpTransport(const Parameters& parameters, Body body)
      : CpuTransport(parameters, body), threads_(static_cast<int>(parameters.at("threads"))) {}

 private:
  void spread(std::uint32_t tasks) override {
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
    for (std::uint32_t task = 0; task < tasks; ++task) simulate(task);
  }
  int threads_;
};

}  // namespace

OpenMpStage::OpenMpStage(StageInfo info, Walk walk, Body body)
    : CpuStage(with_threads(std::move(info)), walk, body) {}

std::unique_ptr<Transport> OpenMpStage::prepare_transport(const Parameters& parameters) const {
  return std::make_unique<OpenMpTransport>(parameters, body());
}

}  // namespace ratchet::tiny_mc
