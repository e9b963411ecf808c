#include <fmt/format.h>
#include <unistd.h>

#include "perf/measure/doctor/checks.h"

namespace ratchet::doctor {
namespace {

using timing::Nvml;

Diagnosis processes(const std::string& gpu, const GpuState& state) {
  Diagnosis diagnosis{gpu + " processes", State::unknown, "not visible", "", "stop them, or wait"};
  if (!state.processes) return diagnosis;
  diagnosis.found = fmt::format("{}", *state.processes);
  diagnosis.state = *state.processes > 0 ? State::hurts : State::ok;
  diagnosis.effect = *state.processes > 0 ? "they share SMs, caches, memory and power with stages"
                                          : "no other process uses it";
  return diagnosis;
}

Diagnosis persistence(const std::string& gpu, const GpuState& state) {
  if (!state.persistence) return {gpu + " persistence mode", State::unknown, "not visible", "", ""};
  return {gpu + " persistence mode", *state.persistence ? State::ok : State::hurts,
          *state.persistence ? "on" : "off",
          *state.persistence ? "the driver stays loaded between launches"
                             : "every launch starts the driver and cold clocks",
          "nvidia-smi -pm 1"};
}

Diagnosis clocks(const std::string& gpu, const GpuState& state) {
  Diagnosis diagnosis{gpu + " clocks", State::unknown, "not visible",
                      "NVML does not report whether they are locked",
                      "nvidia-smi -lgc MHZ below what the power cap allows"};
  if (state.clock)
    diagnosis.found =
        fmt::format("{} now, at most {} MHz", state.clock->now_mhz, state.clock->max_mhz);
  if (state.throttle_reasons && (*state.throttle_reasons & timing::kReasonApplicationClocks)) {
    diagnosis.state = State::ok;
    diagnosis.effect = "fixed by application clocks";
  }
  return diagnosis;
}

Diagnosis throttling(const std::string& gpu, const GpuState& state) {
  Diagnosis diagnosis{gpu + " throttling", State::unknown, "not visible", "",
                      "cooling, a lower clock"};
  if (!state.throttle_reasons) return diagnosis;
  static const std::pair<std::uint64_t, const char*> bad[] = {
      {timing::kReasonPowerCap, "power cap"},
      {timing::kReasonHardwareSlowdown, "hardware"},
      {timing::kReasonThermalSoftware, "heat"},
      {timing::kReasonThermalHardware, "heat (hardware)"},
      {timing::kReasonPowerBrake, "power brake"}};
  diagnosis.found.clear();
  for (const auto& [bit, name] : bad)
    if (*state.throttle_reasons & bit)
      diagnosis.found += (diagnosis.found.empty() ? "" : ", ") + std::string(name);
  diagnosis.state = diagnosis.found.empty() ? State::ok : State::hurts;
  diagnosis.effect = diagnosis.found.empty() ? "clocks are not lowered" : "clocks are lowered now";
  if (diagnosis.found.empty()) diagnosis.found = "no";
  if (state.temperature_c) diagnosis.found += fmt::format(", {} C", *state.temperature_c);
  return diagnosis;
}

Diagnosis power(const std::string& gpu, const GpuState& state) {
  if (!state.power) return {gpu + " power cap", State::unknown, "not visible", "", ""};
  const bool low = state.power->enforced_w < 0.99 * state.power->default_w;
  return {gpu + " power cap", low ? State::hurts : State::ok,
          fmt::format("{:.0f} of {:.0f} W", state.power->enforced_w, state.power->default_w),
          low ? "heavy kernels run at lower clocks, each at another one" : "the default",
          fmt::format("nvidia-smi -pl {:.0f}", state.power->default_w)};
}

Diagnosis mode(const std::string& check, const std::optional<bool>& on, bool hurts_on,
               const char* effect, const char* fix) {
  if (!on) return {check, State::unknown, "not visible", "", ""};
  return {check, *on && hurts_on ? State::hurts : State::ok, *on ? "on" : "off", *on ? effect : "",
          fix};
}

Diagnosis driver(const GpuMachine& machine) {
  Diagnosis diagnosis{"GPU driver", State::unknown, machine.driver.value_or("not visible"), "", ""};
  if (!machine.driver_cuda || !machine.toolkit_cuda) return diagnosis;
  const auto text = [](int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  };
  diagnosis.found += fmt::format(", for CUDA {}; built with {}", text(*machine.driver_cuda),
                                 text(*machine.toolkit_cuda));
  // Within a major version, an older driver runs programs of a newer toolkit.
  const bool old = *machine.driver_cuda / 1000 < *machine.toolkit_cuda / 1000;
  diagnosis.state = old ? State::hurts : State::ok;
  diagnosis.effect = old ? "CUDA stages cannot run" : "new enough";
  diagnosis.fix = "a newer driver, or an older toolkit";
  return diagnosis;
}

Diagnosis counters(const GpuMachine& machine, const SystemFiles& files) {
  const auto admin_only = files.field("proc/driver/nvidia/params", "RmProfilingAdminOnly:");
  if (!admin_only) return {"GPU counters", State::unknown, "not visible", "", ""};
  const bool closed = *admin_only != 0 && !machine.root;
  return {"GPU counters", closed ? State::hurts : State::ok,
          *admin_only != 0 ? "for administrators" : "for everyone",
          closed ? "executed instructions cannot be counted, so time is the only metric"
                 : "this process may read them",
          "options nvidia NVreg_RestrictProfilingToAdminUsers=0 in /etc/modprobe.d, then reboot"};
}

}  // namespace

GpuMachine read_gpus() {
  const Nvml nvml;
  GpuMachine machine;
  machine.driver = nvml.driver();
  machine.driver_cuda = nvml.cuda_version();
  machine.root = geteuid() == 0;
#ifdef RATCHET_CUDART_VERSION
  machine.toolkit_cuda = RATCHET_CUDART_VERSION;
#endif
  for (const Nvml::Device device : nvml.devices())
    machine.gpus.push_back({nvml.name(device).value_or("a GPU"), nvml.compute_processes(device),
                            nvml.persistence(device), nvml.ecc(device), nvml.mig(device),
                            nvml.power(device), nvml.sm_clock(device),
                            nvml.throttle_reasons(device), nvml.temperature_c(device)});
  return machine;
}

std::vector<Diagnosis> check_gpus(const GpuMachine& machine, const SystemFiles& files) {
  if (machine.gpus.empty())
    return {{"GPU", State::unknown, machine.driver ? "none" : "no NVIDIA driver",
             "CUDA stages are not timed here", ""}};
  std::vector<Diagnosis> diagnoses;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const GpuState& state = machine.gpus[i];
    const std::string gpu = machine.gpus.size() > 1 ? fmt::format("GPU {}", i) : "GPU";
    diagnoses.push_back({gpu, State::ok, state.name, "", ""});
    for (const auto check : {processes, persistence, clocks, throttling, power})
      diagnoses.push_back(check(gpu, state));
    diagnoses.push_back(
        mode(gpu + " ECC", state.ecc, false, "costs bandwidth, the same every time", ""));
    diagnoses.push_back(mode(gpu + " MIG", state.mig, true,
                             "other slices share power and, in part, memory", "nvidia-smi -mig 0"));
  }
  diagnoses.push_back(driver(machine));
  diagnoses.push_back(counters(machine, files));
  return diagnoses;
}

}  // namespace ratchet::doctor
