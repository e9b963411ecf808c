#include "kernels/support/ranks/job.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

#include "kernels/support/ranks/gpu.h"
#include "kernels/support/ranks/module.h"
#include "kernels/support/ranks/observer.h"
#include "kernels/support/ranks/ranked_run.h"
#include "perf/support/error.h"

namespace ratchet::ranks {
namespace {

/// Below the gate's launch timeout, so that the unresponsive rank is named before all are killed.
constexpr double kLimit_s = 50;

Job* the_job = nullptr;

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  if (!text || !*text) return otherwise;
  return parse_unsigned(text, variable);
}

/// FNV-1a of this program's file, by words, which identifies the build.
std::uint64_t build_of_this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::uint64_t hash = 0xcbf29ce484222325u;
  std::vector<std::uint64_t> block(1 << 15);
  while (file.read(reinterpret_cast<char*>(block.data()),
                   static_cast<std::streamsize>(block.size() * sizeof block[0])) ||
         file.gcount() > 0)
    for (std::size_t i = 0; i < static_cast<std::size_t>(file.gcount()) / sizeof block[0]; ++i)
      hash = (hash ^ block[i]) * 0x100000001b3u;
  return hash;
}

/// Called before any CUDA call, so that a rank sees only its own GPU.
void take_gpu(std::uint32_t local_rank) {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  setenv("CUDA_VISIBLE_DEVICES", visible_gpu(visible ? visible : "", local_rank).c_str(), 1);
}

/// Clears the variables, since child programs are not ranks of this job.
void forget_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"})
    unsetenv(variable);
}

}  // namespace

Job* job() { return the_job; }
Job* replace_job(Job* other) { return std::exchange(the_job, other); }

std::uint32_t ranks_of_environment() {
  // Called before main(), where an exception for a malformed number would not be caught.
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    // srun sets its variable for every step, and PMIX_RANK only for MPI steps.
    if (size[0] == 'S' && !std::getenv("PMIX_RANK")) continue;
    const char* text = std::getenv(size);
    const unsigned long ranks = text ? std::strtoul(text, nullptr, 10) : 0;
    if (ranks > 0) return static_cast<std::uint32_t>(ranks);
  }
  return 1;
}

Session::Session() {
  if (ranks_of_environment() == 1) return;
  Joining joining;
  joining.build = build_of_this_program();
  joining.stream_is_idle = &stream_is_idle;
  joining.limit_s = static_cast<double>(number_in("RATCHET_RANK_LIMIT_S", kLimit_s));
  the_job = open_module()(joining);
  take_gpu(the_job->local_rank());
  forget_environment();
  if (the_job->rank() == 0) return;
  try {
    follow(*the_job);
  } catch (const std::exception& error) {
    the_job->abandon(the_job->name_of(the_job->rank()) + " failed: " + error.what());
  }
  observe_runs(nullptr);
  the_job->leave();
  std::exit(0);
}

Session::~Session() {
  observe_runs(nullptr);  // its driver resources must not outlive the driver
  if (!the_job) return;
  const Bytes stop;  // an empty message
  for (std::uint32_t rank = 1; rank < the_job->size(); ++rank) the_job->tell(rank, stop);
  the_job->leave();
  the_job = nullptr;
}

}  // namespace ratchet::ranks
