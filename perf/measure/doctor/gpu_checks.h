// The checks of a machine's NVIDIA GPUs, based on NVML.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "perf/measure/doctor/diagnosis.h"
#include "perf/measure/doctor/system_files.h"
#include "perf/support/machine/nvml.h"

namespace ratchet::doctor {

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
