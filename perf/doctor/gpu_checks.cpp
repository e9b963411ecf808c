#include "perf/doctor/gpu_checks.h"

#include <fmt/format.h>
#include <unistd.h>

namespace ratchet::doctor {
namespace {

using timing::Nvml;

Finding processes(const std::string& gpu, const GpuState& state) {
  Finding finding{gpu + " processes", State::unknown, "not shown", "", "stop them, or wait"};
  if (!state.processes) return finding;
  finding.found = fmt::format("{}", *state.processes);
  finding.state = *state.processes > 0 ? State::hurts : State::ok;
  finding.effect = *state.processes > 0 ? "they share SMs, caches, memory and power with stages"
                                        : "nobody else computes on it";
  return finding;
}

Finding persistence(const std::string& gpu, const GpuState& state) {
  if (!state.persistence) return {gpu + " persistence mode", State::unknown, "not shown", "", ""};
  return {gpu + " persistence mode", *state.persistence ? State::ok : State::hurts,
          *state.persistence ? "on" : "off",
          *state.persistence ? "the driver stays loaded between launches"
                             : "every launch starts the driver and cold clocks",
          "nvidia-smi -pm 1"};
}

Finding clocks(const std::string& gpu, const GpuState& state) {
  Finding finding{gpu + " clocks", State::unknown, "not shown",
                  "NVML does not tell whether they are locked",
                  "nvidia-smi -lgc MHZ below what the power cap allows"};
  if (state.clock)
    finding.found =
        fmt::format("{} now, at most {} MHz", state.clock->now_mhz, state.clock->max_mhz);
  if (state.throttle_reasons && (*state.throttle_reasons & timing::kReasonApplicationClocks)) {
    finding.state = State::ok;
    finding.effect = "held by application clocks";
  }
  return finding;
}

Finding throttling(const std::string& gpu, const GpuState& state) {
  Finding finding{gpu + " throttling", State::unknown, "not shown", "", "cooling, a lower clock"};
  if (!state.throttle_reasons) return finding;
  static const std::pair<std::uint64_t, const char*> bad[] = {
      {timing::kReasonPowerCap, "power cap"},
      {timing::kReasonHardwareSlowdown, "hardware"},
      {timing::kReasonThermalSoftware, "heat"},
      {timing::kReasonThermalHardware, "heat (hardware)"},
      {timing::kReasonPowerBrake, "power brake"}};
  finding.found.clear();
  for (const auto& [bit, name] : bad)
    if (*state.throttle_reasons & bit)
      finding.found += (finding.found.empty() ? "" : ", ") + std::string(name);
  finding.state = finding.found.empty() ? State::ok : State::hurts;
  finding.effect = finding.found.empty() ? "clocks are not held down" : "clocks are held down now";
  if (finding.found.empty()) finding.found = "no";
  if (state.temperature_c) finding.found += fmt::format(", {} C", *state.temperature_c);
  return finding;
}

Finding power(const std::string& gpu, const GpuState& state) {
  if (!state.power) return {gpu + " power cap", State::unknown, "not shown", "", ""};
  const bool low = state.power->enforced_w < 0.99 * state.power->default_w;
  return {gpu + " power cap", low ? State::hurts : State::ok,
          fmt::format("{:.0f} of {:.0f} W", state.power->enforced_w, state.power->default_w),
          low ? "heavy kernels are clocked down, and not all alike" : "the default",
          fmt::format("nvidia-smi -pl {:.0f}", state.power->default_w)};
}

Finding mode(const std::string& check, const std::optional<bool>& on, bool hurts_on,
             const char* effect, const char* fix) {
  if (!on) return {check, State::unknown, "not shown", "", ""};
  return {check, *on && hurts_on ? State::hurts : State::ok, *on ? "on" : "off", *on ? effect : "",
          fix};
}

Finding driver(const GpuMachine& machine) {
  Finding finding{"GPU driver", State::unknown, machine.driver.value_or("not shown"), "", ""};
  if (!machine.driver_cuda || !machine.toolkit_cuda) return finding;
  const auto text = [](int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  };
  finding.found += fmt::format(", for CUDA {}; built with {}", text(*machine.driver_cuda),
                               text(*machine.toolkit_cuda));
  // Within a major version an older driver runs a newer toolkit's programs.
  const bool old = *machine.driver_cuda / 1000 < *machine.toolkit_cuda / 1000;
  finding.state = old ? State::hurts : State::ok;
  finding.effect = old ? "CUDA stages cannot run" : "new enough";
  finding.fix = "a newer driver, or an older toolkit";
  return finding;
}

Finding counters(const GpuMachine& machine, const SystemFiles& files) {
  const auto admin_only = files.field("proc/driver/nvidia/params", "RmProfilingAdminOnly:");
  if (!admin_only) return {"GPU counters", State::unknown, "not shown", "", ""};
  const bool closed = *admin_only != 0 && !machine.root;
  return {"GPU counters", closed ? State::hurts : State::ok,
          *admin_only != 0 ? "for administrators" : "for everyone",
          closed ? "executed instructions cannot be read, so time is all the evidence"
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

std::vector<Finding> check_gpus(const GpuMachine& machine, const SystemFiles& files) {
  if (machine.gpus.empty())
    return {{"GPU", State::unknown, machine.driver ? "none" : "no NVIDIA driver",
             "CUDA stages are not timed here", ""}};
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    const GpuState& state = machine.gpus[i];
    const std::string gpu = machine.gpus.size() > 1 ? fmt::format("GPU {}", i) : "GPU";
    findings.push_back({gpu, State::ok, state.name, "", ""});
    for (const auto check : {processes, persistence, clocks, throttling, power})
      findings.push_back(check(gpu, state));
    findings.push_back(
        mode(gpu + " ECC", state.ecc, false, "costs bandwidth, the same every time", ""));
    findings.push_back(mode(gpu + " MIG", state.mig, true,
                            "other slices share power and, in part, memory", "nvidia-smi -mig 0"));
  }
  findings.push_back(driver(machine));
  findings.push_back(counters(machine, files));
  return findings;
}

}  // namespace ratchet::doctor
