// Which kernels of a stage differ between two builds, and in what.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"

namespace ratchet::explain {

/// Objects of a build that hold kernels.
struct DeviceObjects {
  const BuildCode& build;
  const std::set<std::uint32_t>& objects;
};

struct KernelChange {
  std::string kernel;  ///< readable: "simulate<Xoshiro>"; "(tables)" for initialised memory
  std::string detail;  ///< "registers 32 -> 40, LOP3 +4", "new", "gone"
  bool worse = false;  ///< more registers, spills, shared memory or instructions
  double weight = 0;   ///< the larger, the more differs
};

/// The kernels that are not the same, those that got worse first. With their figures where
/// cuobjdump and nvdisasm can be had; else by name alone, and `tools_missing` says which.
std::vector<KernelChange> kernel_changes(const DeviceObjects& before, const DeviceObjects& now,
                                         std::string* tools_missing);

/// The instructions of each kernel, by readable name, without addresses. Throws
/// `counters::NoMetrics` where nvdisasm is missing.
std::map<std::string, std::vector<std::string>> kernel_listings(const DeviceObjects& device);

}  // namespace ratchet::explain
