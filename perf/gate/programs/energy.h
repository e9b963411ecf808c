// --metric energy, device_energy: J of a row's call, and of a command's launch.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "perf/gate/baseline/metric.h"
#include "perf/support/machine/energy.h"

namespace ratchet::gate {

/// The counter of this metric. Throws `Error`, which names the metric, where this machine has none
/// that may be read, and for a unit other than J.
std::unique_ptr<timing::EnergyCounter> energy_counter(const Metric& metric,
                                                      const std::filesystem::path& powercap);

/// Whose energy a metric is, which every user has to know: one line.
std::string whose_energy(const std::string& metric);

/// What a launch took.
struct EnergyOfLaunch {
  double calls = 0;  ///< that the row's loop made
  double joules = 0;
  double seconds = 0;  ///< of the process
};

/// What one call adds, J: the difference of a launch of `calls` and one of twice as many, in which
/// start-up and preparation count nothing. Multiplies `calls` until that difference takes twice
/// `least_s`. Throws `Error` where more calls make no more of them, take no time, or no energy.
double energy_of_a_call(const std::function<EnergyOfLaunch(std::int64_t calls)>& launch,
                        std::int64_t& calls, double least_s);

}  // namespace ratchet::gate
