// The fingerprint: the facts of machine and build on which a measurement depends.
//
// Fields are text, keyed "<group>.<name>":
//   cpu.model, cpu.id (vendor, family/model/stepping; of AArch64 implementer,
//   variant/part/revision, each kind of core's), cpu.cores (that this process may use),
//   cpu.memory_gib (rounded up to 4, so that a kernel update does not change it);
//   gpu.model, gpu.compute_capability, gpu.sms, gpu.driver, gpu.toolkit, gpu.flags,
//   gpu.sm_clock_max_mhz, gpu.memory_clock_max_mhz, gpu.power_limit_w, gpu.ecc, gpu.mig
//   (absent without a usable CUDA device);
//   opencl.platform, opencl.device, opencl.type (cpu, gpu or other), opencl.driver, opencl.version
//   (present only where a row uses OpenCL);
//   build.compiler, build.flags, build.type;
//   machine.gpus (for third-party programs, whose devices are unknown: all NVIDIA GPUs with driver,
//   power limit and modes; absent without GPUs);
//   os.kernel (recorded, never compared).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet {

/// The fields of this machine and this build, for the context of every result file. Queries the
/// CUDA runtime and NVML (loaded with dlopen, so neither need be installed); unavailable values are
/// "unknown". Never throws. Creates no CUDA context. Without opencl.*, since querying those starts
/// drivers and their threads, which would disturb the timing of CPU rows.
std::map<std::string, std::string> fingerprint_fields();

/// The fields of this machine without those of this build, for third-party programs.
std::map<std::string, std::string> machine_fields();

/// The hardware on which a row's time depends, which selects the compared fields.
enum class Device {
  cpu,    ///< cpu.* and build.*
  gpu,    ///< gpu.*
  gpus,   ///< gpu.* and gpus.*: stages of several ranks with a GPU each
  both,   ///< cpu.*, build.* and gpu.*: hybrid stages
  opencl  ///< opencl.*, plus gpu.* if opencl.type is gpu, else cpu.* and build.*
};

/// One field in which two fingerprints differ; "absent" if a side lacks it.
struct FieldDifference {
  std::string field;
  std::string stored;
  std::string here;
};

struct Fingerprint {
  std::map<std::string, std::string> fields;

  /// The folder name of this machine: "nvidia-h200" for a GPU, "amd-epyc-2c" for a CPU. For `both`
  /// the GPU's if there is one; for `opencl` that of the OpenCL device. "unknown-gpu" or
  /// "unknown-cpu" for an unknown model.
  std::string machine_slug(Device device) const;

  /// The compared fields in which the two differ, by name; empty if measurements are comparable.
  std::vector<FieldDifference> differences(const Fingerprint& here, Device device) const;
  bool matches(const Fingerprint& here, Device device) const {
    return differences(here, device).empty();
  }
};

/// Groups of fingerprint_fields(), one file per source.
std::map<std::string, std::string> cpu_fields();
/// cpu.model and cpu.id, from the text of /proc/cpuinfo.
std::map<std::string, std::string> processor_fields(const std::string& cpuinfo);
std::map<std::string, std::string> gpu_fields();
std::map<std::string, std::string> build_fields();
/// Fields of the device that kernels/support/opencl_device.h chose; empty without one.
std::map<std::string, std::string> opencl_fields();

/// `model` as a folder name: lower case letters, digits and single dashes, without trademark signs,
/// clock rates and filler words ("Intel(R) Xeon(R) CPU E5 @ 2.20GHz" becomes "intel-xeon-e5").
std::string slug(std::string_view model);

}  // namespace ratchet
