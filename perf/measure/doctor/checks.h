// The checks of a machine's CPUs and system, based on SystemFiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/measure/doctor/diagnosis.h"
#include "perf/measure/doctor/system_files.h"
#include "perf/support/machine/nvml.h"

namespace ratchet::doctor {

/// Governor, turbo, SMT, CPU quota, thermal throttling, isolated CPUs.
std::vector<Diagnosis> check_cpus(const SystemFiles& files);

/// Virtual machine, load, swap, huge pages, NUMA balancing, address randomisation, perf events.
std::vector<Diagnosis> check_system(const SystemFiles& files);

/// Other processes and stolen time between two snapshots.
std::vector<Diagnosis> check_neighbours(const Snapshot& before, const Snapshot& after);

// The checks of a machine's NVIDIA GPUs, based on NVML.

/// Unknown values are empty.
struct GpuState {
  std::string name;
  std::optional<unsigned> processes;
  std::optional<bool> persistence, ecc, mig;
  std::optional<timing::Nvml::Power> power;
  std::optional<timing::Nvml::Clock> clock;
  std::optional<std::uint64_t> throttle_reasons;
  std::optional<unsigned> temperature_c;
};

struct GpuMachine {
  std::vector<GpuState> gpus;
  std::optional<std::string> driver;
  std::optional<int> driver_cuda;   ///< highest CUDA version the driver supports, as 13000
  std::optional<int> toolkit_cuda;  ///< version of the build's toolkit; nothing without CUDA
  bool root = false;                ///< this process has administrator rights
};
/// Queries NVML. No GPUs without a driver.
GpuMachine read_gpus();

/// For each GPU: other processes, persistence, clocks, throttling, power cap, ECC, MIG; and for the
/// machine: driver against toolkit, permission for hardware counters. Without a GPU, one diagnosis.
/// Names of checks begin with "GPU", with a number if there are several.
std::vector<Diagnosis> check_gpus(const GpuMachine& machine, const SystemFiles& files);

}  // namespace ratchet::doctor
