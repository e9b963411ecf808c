#include "kernels/tiny_mc/walks/cpu_stage.h"

#include <algorithm>
#include <utility>

namespace ratchet::tiny_mc {
namespace {

std::uint64_t chunks_of(std::uint64_t photons) { return (photons + kChunk - 1) / kChunk; }

/// Photons of chunk `chunk` when there are `photons` in all: kChunk, or the rest in the last.
std::uint32_t photons_of(std::uint64_t photons, std::uint64_t chunk) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(kChunk, photons - chunk * kChunk));
}

}  // namespace

Job::Job(const Parameters& parameters)
    : medium(medium_of(parameters)), schedule(schedule_of(medium)), seed(parameters.at("seed")) {}

Tasks::Tasks(std::uint64_t photons)
    : photons_(photons),
      chunks_(chunks_of(photons)),
      chunks_per_task_(std::max<std::uint64_t>(1, (chunks_ + kTasks - 1) / kTasks)),
      tasks_((chunks_ + chunks_per_task_ - 1) / chunks_per_task_) {}

void Tasks::simulate(const Body& body, const Job& job, std::uint64_t first_stream,
                     std::uint32_t task, Tally& tally) const {
  tally = Tally(job.medium.shells);
  const std::uint64_t end = std::min(chunks_, (task + std::uint64_t{1}) * chunks_per_task_);
  for (std::uint64_t chunk = task * chunks_per_task_; chunk < end; ++chunk) {
    const std::uint32_t photons = photons_of(photons_, chunk);
    body.simulate(job, first_stream + chunk, photons, tally);
    tally.photons += photons;
  }
}

CpuTransport::CpuTransport(const Parameters& parameters, Body body)
    : job_(parameters),
      body_(body),
      photons_(parameters.at("photons")),
      tasks_(photons_),
      tallies_(tasks_.size(), Tally(job_.medium.shells)),
      total_(job_.medium.shells) {}

void CpuTransport::run() {
  spread(tasks_.size());
  total_ = Tally(job_.medium.shells);
  for (const Tally& tally : tallies_) total_ += tally;
  first_stream_ += tasks_.chunks();
}

void CpuTransport::spread(std::uint32_t tasks) {
  for (std::uint32_t task = 0; task < tasks; ++task) simulate(task);
}

void CpuTransport::simulate(std::uint32_t task) {
  tasks_.simulate(body_, job_, first_stream_, task, tallies_[task]);
}

std::unique_ptr<Transport> CpuStage::prepare_transport(const Parameters& parameters) const {
  return std::make_unique<CpuTransport>(parameters, body_);
}

Trace CpuStage::trace(const Parameters& parameters, std::uint32_t capacity) const {
  const Job job(parameters);
  Trace trace = sized_trace(parameters.at("photons"), capacity, draws_);
  for (std::uint64_t chunk = 0; chunk < chunks_of(trace.photons); ++chunk)
    body_.record(job, chunk, photons_of(trace.photons, chunk), trace, chunk * kChunk);
  return trace;
}

}  // namespace ratchet::tiny_mc
