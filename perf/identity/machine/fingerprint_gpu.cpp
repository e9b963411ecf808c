// The GPU's part of the fingerprint. NVML is loaded at run time, so the build needs neither its
// header nor its library. Its few functions are declared here from the NVML API reference. The CUDA
// runtime identifies the device that the program uses.
#include "perf/identity/machine/fingerprint.h"

#ifndef RATCHET_HAVE_CUDA

namespace ratchet {
std::map<std::string, std::string> gpu_fields() { return {}; }
}  // namespace ratchet

#else

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace ratchet {
namespace {

constexpr int nvml_success = 0;
constexpr int nvml_clock_sm = 1;      // nvmlClockType_t: NVML_CLOCK_SM
constexpr int nvml_clock_memory = 2;  // NVML_CLOCK_MEM
using NvmlDevice = void*;

/// libnvidia-ml, initialized; unavailable values are "unknown".
class Nvml {
 public:
  explicit Nvml(const char* pci_bus_id) : library_(dlopen("libnvidia-ml.so.1", RTLD_LAZY)) {
    const auto init = function<int()>("nvmlInit_v2");
    const auto find = function<int(const char*, NvmlDevice*)>("nvmlDeviceGetHandleByPciBusId_v2");
    if (!init || !find || init() != nvml_success) return;
    initialized_ = true;
    if (find(pci_bus_id, &device_) != nvml_success) device_ = nullptr;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    const auto shutdown = function<int()>("nvmlShutdown");
    if (initialized_ && shutdown) shutdown();
    if (library_) dlclose(library_);
  }

  std::string driver() const {
    const auto ask = function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    char text[96] = "";
    if (!initialized_ || !ask || ask(text, sizeof text) != nvml_success) return "unknown";
    return text;
  }
  std::string max_clock_mhz(int clock) const {
    const auto ask = function<int(NvmlDevice, int, unsigned*)>("nvmlDeviceGetMaxClockInfo");
    unsigned mhz = 0;
    if (!device_ || !ask || ask(device_, clock, &mhz) != nvml_success) return "unknown";
    return std::to_string(mhz);
  }
  std::string power_limit_w() const {
    const auto ask = function<int(NvmlDevice, unsigned*)>("nvmlDeviceGetEnforcedPowerLimit");
    unsigned milliwatts = 0;
    if (!device_ || !ask || ask(device_, &milliwatts) != nvml_success) return "unknown";
    return std::to_string((milliwatts + 500) / 1000);
  }
  /// GPUs of the machine, independent of CUDA_VISIBLE_DEVICES.
  std::string count() const {
    const auto ask = function<int(unsigned*)>("nvmlDeviceGetCount_v2");
    unsigned devices = 0;
    if (!initialized_ || !ask || ask(&devices) != nvml_success) return "unknown";
    return std::to_string(devices);
  }
  std::string mode(const char* name) const {  // ECC and MIG modes share this signature
    const auto ask = function<int(NvmlDevice, unsigned*, unsigned*)>(name);
    unsigned current = 0;
    unsigned pending = 0;
    if (!device_ || !ask || ask(device_, &current, &pending) != nvml_success) return "unknown";
    return current ? "on" : "off";
  }

 private:
  template <class Signature>
  Signature* function(const char* name) const {
    return library_ ? reinterpret_cast<Signature*>(dlsym(library_, name)) : nullptr;
  }
  void* library_;
  bool initialized_ = false;
  NvmlDevice device_ = nullptr;
};

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return cudaDeviceGetAttribute(&value, which, device) == cudaSuccess ? value : 0;
}

}  // namespace

std::map<std::string, std::string> gpu_fields() {
  int count = 0;
  cudaDeviceProp properties;
  char bus[32] = "";
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0 ||
      cudaGetDeviceProperties(&properties, 0) != cudaSuccess ||
      cudaDeviceGetPCIBusId(bus, sizeof bus, 0) != cudaSuccess) {
    cudaGetLastError();  // clears the error for the caller's next CUDA call
    return {};
  }
  const Nvml nvml(bus);
  const std::string major = std::to_string(attribute(cudaDevAttrComputeCapabilityMajor, 0));
  const std::string minor = std::to_string(attribute(cudaDevAttrComputeCapabilityMinor, 0));
  return {{"gpu.model", properties.name},
          {"gpu.compute_capability", major + "." + minor},
          {"gpu.sms", std::to_string(attribute(cudaDevAttrMultiProcessorCount, 0))},
          {"gpu.driver", nvml.driver()},
          {"gpu.toolkit", RATCHET_CUDA_TOOLKIT},
          {"gpu.flags", RATCHET_CUDA_FLAGS},
          {"gpu.sm_clock_max_mhz", nvml.max_clock_mhz(nvml_clock_sm)},
          {"gpu.memory_clock_max_mhz", nvml.max_clock_mhz(nvml_clock_memory)},
          {"gpu.power_limit_w", nvml.power_limit_w()},
          {"gpu.ecc", nvml.mode("nvmlDeviceGetEccMode")},
          {"gpu.mig", nvml.mode("nvmlDeviceGetMigMode")},
          {"gpus.count", nvml.count()}};
}

}  // namespace ratchet

#endif
