// The kernels of a stage that differ between two builds, and their differences.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"

namespace ratchet::explain {

/// The objects of a build with kernels.
struct DeviceObjects {
  const BuildCode& build;
  const std::set<std::uint32_t>& objects;
};

struct KernelChange {
  std::string kernel;  ///< readable: "simulate<Xoshiro>"; "(tables)" for initialised memory
  std::string detail;  ///< "registers 32 -> 40, LOP3 +4", "new", "gone"
  bool worse = false;  ///< more registers, spills, shared memory or instructions
  double weight = 0;   ///< size of the difference
};

/// The differing kernels, the worse ones first. With figures if cuobjdump and nvdisasm are
/// available; else only names, and `tools_missing` names the missing tool.
std::vector<KernelChange> kernel_changes(const DeviceObjects& before, const DeviceObjects& now,
                                         std::string* tools_missing);

/// The instructions of each kernel, by readable name, without addresses. Throws
/// `counters::NoMetrics` if nvdisasm is missing.
std::map<std::string, std::vector<std::string>> kernel_listings(const DeviceObjects& device);

// Counted figures of two builds, which need a run: executed instructions, and a GPU's counters.
// Each build's own `ratchet metrics` counts them.

/// The programs of one build.
struct Programs {
  std::filesystem::path ratchet, bench;
};

/// A line for each figure of a stage. Where valgrind, a GPU or the right to read its counters is
/// missing, one line with that reason.
std::vector<std::string> counted_differences(const Programs& before, const Programs& now,
                                             const std::string& stage);

}  // namespace ratchet::explain
