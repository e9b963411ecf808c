// The state of a GPU, from NVIDIA's management library (NVML), which is opened at run time.
//
// nvml.cpp declares the functions after the NVML API reference, so that the build needs neither the
// header nor the library. A value that cannot be read is nothing, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ratchet::timing {

class Nvml {
 public:
  Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  using Device = void*;
  /// All GPUs of the driver; empty without a driver.
  std::vector<Device> devices() const;
  /// By PCI bus id ("0000:1b:00.0"); nothing if there is none.
  std::optional<Device> device(const std::string& pci_bus_id) const;

  std::optional<std::string> driver() const;
  /// The highest CUDA version that the driver supports, as 13000.
  std::optional<int> cuda_version() const;
  std::optional<std::string> name(Device device) const;
  std::optional<std::string> uuid(Device device) const;  ///< "GPU-..."
  /// Processes with a compute context on the device, this one included if it has one.
  std::optional<unsigned> compute_processes(Device device) const;
  /// Why the clocks are throttled now: bits of nvmlClocksThrottleReasons (kReason... below).
  std::optional<std::uint64_t> throttle_reasons(Device device) const;
  std::optional<bool> persistence(Device device) const;
  std::optional<bool> ecc(Device device) const;
  std::optional<bool> mig(Device device) const;
  struct Power {
    double enforced_w = 0;
    double default_w = 0;
  };
  std::optional<Power> power(Device device) const;
  struct Clock {
    unsigned now_mhz = 0;
    unsigned max_mhz = 0;
  };
  std::optional<Clock> sm_clock(Device device) const;
  std::optional<unsigned> temperature_c(Device device) const;
  /// J since the driver was loaded; Volta and newer count them.
  std::optional<double> energy_j(Device device) const;

 private:
  template <class Signature>
  Signature* function(const char* name) const;
  std::optional<std::string> text(const char* name, Device device) const;
  std::optional<bool> mode(const char* name, Device device) const;
  std::optional<unsigned> number(const char* name, Device device) const;

  void* library_ = nullptr;
  bool initialized_ = false;
};

/// Throws an Error unless a machine whose GPUs have these UUIDs ("" if unknown) has every GPU of
/// `named`: indices, or UUIDs, which may be cut short. A part of a GPU (MIG) is left to the driver.
void require_gpus(const std::vector<std::string>& named, const std::vector<std::string>& uuids);

/// The bits of Nvml::throttle_reasons.
inline constexpr std::uint64_t kReasonIdle = 0x1;
inline constexpr std::uint64_t kReasonApplicationClocks = 0x2;
inline constexpr std::uint64_t kReasonPowerCap = 0x4;
inline constexpr std::uint64_t kReasonHardwareSlowdown = 0x8;
inline constexpr std::uint64_t kReasonSync = 0x10;
inline constexpr std::uint64_t kReasonThermalSoftware = 0x20;
inline constexpr std::uint64_t kReasonThermalHardware = 0x40;
inline constexpr std::uint64_t kReasonPowerBrake = 0x80;

}  // namespace ratchet::timing
