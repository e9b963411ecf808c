#include "perf/support/machine/nvml.h"

#include <dlfcn.h>

#include <algorithm>

#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

constexpr int kSuccess = 0;
constexpr int kInsufficientSize = 7;  // the count is right, only the list was too short
constexpr int kClockSm = 1;           // nvmlClockType_t: NVML_CLOCK_SM
constexpr int kTemperatureGpu = 0;    // nvmlTemperatureSensors_t: NVML_TEMPERATURE_GPU

}  // namespace

template <class Signature>
Signature* Nvml::function(const char* name) const {
  return initialized_ ? reinterpret_cast<Signature*>(dlsym(library_, name)) : nullptr;
}

Nvml::Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY)) {
  if (!library_) return;
  const auto init = reinterpret_cast<int (*)()>(dlsym(library_, "nvmlInit_v2"));
  initialized_ = init && init() == kSuccess;
}

Nvml::~Nvml() {
  if (const auto shutdown = function<int()>("nvmlShutdown")) shutdown();
  if (library_) dlclose(library_);
}

std::vector<Nvml::Device> Nvml::devices() const {
  const auto count_of = function<int(unsigned*)>("nvmlDeviceGetCount_v2");
  const auto by_index = function<int(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2");
  std::vector<Device> found;
  unsigned count = 0;
  if (!count_of || !by_index || count_of(&count) != kSuccess) return found;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (by_index(i, &device) == kSuccess) found.push_back(device);
  }
  return found;
}

std::optional<Nvml::Device> Nvml::device(const std::string& pci_bus_id) const {
  const auto find = function<int(const char*, Device*)>("nvmlDeviceGetHandleByPciBusId_v2");
  Device device = nullptr;
  if (!find || find(pci_bus_id.c_str(), &device) != kSuccess) return std::nullopt;
  return device;
}

std::optional<std::string> Nvml::driver() const {
  const auto ask = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  char text[96] = "";
  if (!ask || ask(text, sizeof text) != kSuccess) return std::nullopt;
  return text;
}

std::optional<int> Nvml::cuda_version() const {
  const auto ask = function<int(int*)>("nvmlSystemGetCudaDriverVersion_v2");
  int version = 0;
  if (!ask || ask(&version) != kSuccess) return std::nullopt;
  return version;
}

std::optional<std::string> Nvml::text(const char* name, Device device) const {
  const auto ask = function<int(Device, char*, unsigned)>(name);
  char text[96] = "";
  if (!ask || ask(device, text, sizeof text) != kSuccess) return std::nullopt;
  return text;
}

std::optional<std::string> Nvml::name(Device device) const {
  return text("nvmlDeviceGetName", device);
}
std::optional<std::string> Nvml::uuid(Device device) const {
  return text("nvmlDeviceGetUUID", device);
}

std::optional<unsigned> Nvml::compute_processes(Device device) const {
  const auto ask =
      function<int(Device, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3");
  unsigned count = 0;
  if (!ask) return std::nullopt;
  const int status = ask(device, &count, nullptr);
  if (status != kSuccess && status != kInsufficientSize) return std::nullopt;
  return count;
}

std::optional<std::uint64_t> Nvml::throttle_reasons(Device device) const {
  const auto ask =
      function<int(Device, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  unsigned long long reasons = 0;
  if (!ask || ask(device, &reasons) != kSuccess) return std::nullopt;
  return reasons;
}

std::optional<unsigned> Nvml::number(const char* name, Device device) const {
  const auto ask = function<int(Device, unsigned*)>(name);
  unsigned value = 0;
  if (!ask || ask(device, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<bool> Nvml::mode(const char* name, Device device) const {
  const auto ask = function<int(Device, unsigned*, unsigned*)>(name);
  unsigned current = 0, pending = 0;
  if (!ask || ask(device, &current, &pending) != kSuccess) return std::nullopt;
  return current != 0;
}

std::optional<bool> Nvml::persistence(Device device) const {
  const auto value = number("nvmlDeviceGetPersistenceMode", device);
  if (!value) return std::nullopt;
  return *value != 0;
}

std::optional<bool> Nvml::ecc(Device device) const { return mode("nvmlDeviceGetEccMode", device); }
std::optional<bool> Nvml::mig(Device device) const { return mode("nvmlDeviceGetMigMode", device); }

std::optional<Nvml::Power> Nvml::power(Device device) const {
  const auto enforced = number("nvmlDeviceGetEnforcedPowerLimit", device);
  const auto normal = number("nvmlDeviceGetPowerManagementDefaultLimit", device);
  if (!enforced || !normal) return std::nullopt;
  return Power{*enforced / 1000.0, *normal / 1000.0};
}

std::optional<Nvml::Clock> Nvml::sm_clock(Device device) const {
  Clock clock;
  const auto now = function<int(Device, int, unsigned*)>("nvmlDeviceGetClockInfo");
  const auto max = function<int(Device, int, unsigned*)>("nvmlDeviceGetMaxClockInfo");
  if (!now || !max || now(device, kClockSm, &clock.now_mhz) != kSuccess ||
      max(device, kClockSm, &clock.max_mhz) != kSuccess)
    return std::nullopt;
  return clock;
}

std::optional<unsigned> Nvml::temperature_c(Device device) const {
  const auto ask = function<int(Device, int, unsigned*)>("nvmlDeviceGetTemperature");
  unsigned value = 0;
  if (!ask || ask(device, kTemperatureGpu, &value) != kSuccess) return std::nullopt;
  return value;
}

std::optional<double> Nvml::energy_j(Device device) const {
  const auto ask =
      function<int(Device, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
  unsigned long long millijoules = 0;
  if (!ask || ask(device, &millijoules) != kSuccess) return std::nullopt;
  return static_cast<double>(millijoules) / 1000;
}

void require_gpus(const std::vector<std::string>& named, const std::vector<std::string>& uuids) {
  for (const std::string& gpu : named) {
    if (uuids.empty())
      throw Error("--gpus names GPU " + gpu + ", and the driver reports no GPU; leave --gpus out",
                  ExitCode::nothing_ran);
    const bool known =
        gpu.starts_with("MIG-") ||
        (gpu.starts_with("GPU-") ? std::any_of(uuids.begin(), uuids.end(),
                                               [&](const std::string& uuid) {
                                                 return uuid.empty() || uuid.starts_with(gpu);
                                               })
                                 : std::stoul(gpu) < uuids.size());
    if (!known)
      throw Error("--gpus names GPU " + gpu + ", and this machine has " +
                  (uuids.size() == 1 ? std::string("GPU 0 alone; `nvidia-smi -L` lists it")
                                     : "GPUs 0 to " + std::to_string(uuids.size() - 1) +
                                           "; `nvidia-smi -L` lists them"));
  }
}

}  // namespace ratchet::timing
