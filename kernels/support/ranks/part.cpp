#include "kernels/support/ranks/part.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "kernels/support/cuda_device.h"
#include "kernels/support/ranks/gpu.h"
#include "kernels/support/ranks/job.h"
#include "kernels/support/ranks/module.h"

namespace ratchet::ranks {
namespace {

constexpr std::uint64_t kMostRanks = 4096;

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (!folder.empty() && access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

Parameter ranks_parameter() {
  const auto ranks = std::clamp<std::uint64_t>(ranks_of_environment(), 1, kMostRanks);
  return {"ranks", ranks, 1, kMostRanks, "processes that share the work, started by mpirun -n"};
}

StageInfo ranked_info(StageInfo info) {
  info.backend = Backend::mpi;
  info.parameters.push_back(ranks_parameter());
  info.sweep = grid({{"ranks", {2, 4}}});
  return info;
}

bool takes_gpus(const Stage& stage) {
  const auto* ranked = dynamic_cast<const RankedStage*>(&stage);
  return ranked && ranked->takes_gpus();
}

std::vector<ParameterPoint> weak_scaling(const std::string& size, std::uint64_t each) {
  std::vector<ParameterPoint> points;
  for (const std::uint64_t ranks : {1, 2, 4, 8})
    points.push_back({{"ranks", ranks}, {size, ranks * each}});
  return points;
}

std::uint64_t ranks_of(const Parameters& parameters) {
  return parameters.has("ranks") ? parameters.at("ranks") : 1;
}

Availability enough_ranks(std::uint64_t ranks) {
  const std::uint64_t here = job() ? job()->size() : 1;
  if (ranks <= here) return Availability::yes();
  return Availability::no("it takes " + std::to_string(ranks) + " ranks, and this job has " +
                          std::to_string(here) + "; start it by mpirun -n " +
                          std::to_string(ranks));
}

Availability enough_gpus(std::uint64_t ranks) {
  const std::uint64_t here = job() ? ranks : visible_gpus();
  if (ranks <= here) return Availability::yes();
  return Availability::no("it takes " + std::to_string(ranks) + " GPUs, and this machine has " +
                          std::to_string(here) + "; set ranks lower");
}

Availability mpi_availability() {
  const std::string module = module_file();
  if (module.empty())
    return Availability::no("built without MPI; install libopenmpi-dev, and build again");
  if (!std::filesystem::exists(module))
    return Availability::no("the module for MPI is missing: " + module + "; build again");
  if (!job() && !in_path("mpirun"))
    return Availability::no("mpirun is not in PATH; install openmpi-bin");
  return Availability::yes();
}

Availability mpi_gpu_availability() {
  const Availability mpi = mpi_availability();
  return mpi.ok ? cuda_availability() : mpi;
}

}  // namespace ratchet::ranks
