// What a measurement depends on besides the code: the machine and the build.
//
// Fields are text, keyed "<group>.<name>":
//   cpu.model, cpu.id (vendor, family/model/stepping), cpu.cores (that this process may use),
//   cpu.memory_gib (rounded up to 4, so that a kernel update does not change it);
//   gpu.model, gpu.compute_capability, gpu.sms, gpu.driver, gpu.toolkit, gpu.flags,
//   gpu.sm_clock_max_mhz, gpu.memory_clock_max_mhz, gpu.power_limit_w, gpu.ecc, gpu.mig
//   (all of them absent where no CUDA device can be used);
//   opencl.platform, opencl.device, opencl.type (cpu, gpu or other), opencl.driver, opencl.version
//   (present only where a row uses OpenCL);
//   build.compiler, build.flags, build.type;
//   machine.gpus (where somebody else's program is measured, of which nobody knows what it uses:
//   all NVIDIA GPUs with driver, power limit and modes; absent where there are none); os.kernel
//   (recorded, never compared).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet {

/// The fields of this machine and this build. Asks the CUDA runtime and NVML (opened with dlopen,
/// so that nothing need be installed); what they cannot tell is "unknown". Never throws. Creates no
/// CUDA context. Meant as the context of every result file: one key and value per field. Without
/// opencl.*: asking for these starts drivers, and threads of theirs, beside which no CPU row should
/// be timed.
std::map<std::string, std::string> fingerprint_fields();

/// Those of them that are of this machine and not of this build: all that is known where somebody
/// else's program is measured.
std::map<std::string, std::string> machine_fields();

/// The hardware that a row's time depends on, and so the fields that are compared for it.
enum class Device {
  cpu,    ///< cpu.* and build.*
  gpu,    ///< gpu.*
  gpus,   ///< gpu.* and gpus.*: stages of several ranks with a GPU each
  both,   ///< cpu.*, build.* and gpu.*: hybrid stages
  opencl  ///< opencl.*, and with them gpu.* where opencl.type is gpu, else cpu.* and build.*
};

/// One field in which two fingerprints differ; "absent" where a side lacks it.
struct FieldDifference {
  std::string field;
  std::string stored;
  std::string here;
};

struct Fingerprint {
  std::map<std::string, std::string> fields;

  /// The folder name of this machine: "nvidia-h200" for a GPU, "amd-epyc-2c" for a CPU; for `both`
  /// the GPU's where there is one. For `opencl` that of the OpenCL device: "nvidia-h200" for a GPU,
  /// the CPU's name for a CPU. "unknown-gpu" or "unknown-cpu" where the model is not known.
  std::string machine_slug(Device device) const;

  /// The compared fields in which the two differ, by name. Empty: measurements are comparable.
  std::vector<FieldDifference> differences(const Fingerprint& here, Device device) const;
  bool matches(const Fingerprint& here, Device device) const {
    return differences(here, device).empty();
  }
};

/// Groups of fingerprint_fields(), in separate files for their different sources.
std::map<std::string, std::string> cpu_fields();
std::map<std::string, std::string> gpu_fields();
std::map<std::string, std::string> build_fields();
/// Of the device that kernels/support/opencl_device.h chose; empty without one.
std::map<std::string, std::string> opencl_fields();

/// `model` as a folder name: lower case letters, digits and single dashes, without trademark signs,
/// clock rates and filler words ("Intel(R) Xeon(R) CPU E5 @ 2.20GHz" becomes "intel-xeon-e5").
std::string slug(std::string_view model);

}  // namespace ratchet
