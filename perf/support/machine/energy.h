// Counters of the energy that whole devices take, whatever runs on them: of CPU packages by the
// kernel's powercap tree (RAPL, of AMD's CPUs, too), and of GPUs by NVML.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "perf/support/machine/nvml.h"

namespace ratchet::timing {

class EnergyCounter {
 public:
  virtual ~EnergyCounter() = default;

  /// J that all its devices took since the object was made. Throws `Error` where one cannot be read
  /// any longer. Not for two threads at once.
  virtual double joules() = 0;
  /// A shorter time says more of when the counter is renewed than of what was spent.
  virtual double least_s() const = 0;

  /// J that they take while `work` runs. What it throws is passed on.
  double joules_of(const std::function<void()>& work);

 protected:
  /// A counter may wrap; it is read at least so often that this is seen.
  double read_every_s_ = 10;
};

/// Of all CPU packages. Their parts (cores, memory controllers) are no packages, and neither is the
/// whole platform, which contains them.
class PackageEnergy : public EnergyCounter {
 public:
  /// Throws `Error` where the kernel has no such counter, or this process may not read it.
  /// Source: https://docs.kernel.org/power/powercap/powercap.html
  explicit PackageEnergy(const std::filesystem::path& powercap);

  double joules() override;
  double least_s() const override { return 0.05; }  // renewed every ms

 private:
  struct Zone {
    std::filesystem::path counter;
    std::uint64_t last_uj;
    std::uint64_t range_uj;  ///< at which it wraps
  };
  std::vector<Zone> zones_;
  std::uint64_t total_uj_ = 0;
};

/// Of the GPUs that CUDA programs see (CUDA_VISIBLE_DEVICES); all where that names none.
class GpuEnergy : public EnergyCounter {
 public:
  /// Throws `Error` where there is no such GPU, or one does not count energy.
  GpuEnergy();

  double joules() override;
  double least_s() const override { return 1; }  // renewed every 20 to 100 ms

 private:
  std::vector<Nvml::Device> visible() const;
  double sum() const;

  Nvml nvml_;
  std::vector<Nvml::Device> devices_;
  double start_j_ = 0;
};

}  // namespace ratchet::timing
