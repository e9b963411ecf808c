// Activity records, reduced to the fields that timing needs, and their samples. Without CUPTI.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kernels/support/ranks/observer.h"
#include "perf/measure/sampling/sample.h"

namespace ratchet::timing {

struct Activity {
  enum class Kind { kernel, transfer, runtime_call, driver_call };
  Kind kind = Kind::kernel;
  std::uint64_t begin_ns = 0;  ///< CUPTI's clock, the same for host and device
  std::uint64_t end_ns = 0;
  /// External correlation id at its launch; 0 if none. All nodes of a graph have that of the
  /// graph's launch.
  std::uint64_t external = 0;
  std::string name;  ///< of the API function or kernel, if names are recorded
  std::uint32_t call =
      0;            ///< number of the API call that launched it; later calls have higher ones
  DeviceWork work;  ///< of a kernel or transfer
};

/// The total length of intervals [begin, end) in ns, where each instant counts once. Inline, since
/// the collector is linked without this file's other functions.
inline std::uint64_t covered_ns(std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  std::uint64_t covered = 0, until = 0;
  for (const auto& [begin, end] : intervals) {
    if (end > until) covered += end - std::max(begin, until);
    until = std::max(until, end);
  }
  return covered;
}

/// External correlation id of the harness's own launches (clock readings), which no sample
/// includes.
inline constexpr std::uint64_t kHarnessId = 1;

/// What a timer knows of a run besides its records.
struct TimedRun {
  std::uint64_t id = 0;        ///< external id of its launches
  std::uint64_t since_ns = 0;  ///< when it began, on CUPTI's clock
  double cpu_seconds = 0;      ///< of all threads
  double sm_clock_mhz = 0;     ///< 0 if unknown
};

struct DeviceSample : Sample {
  /// The durations of the run's kernels and transfers, summed, beyond `seconds`: that sum counts
  /// concurrent work more than once.
  double overlap_seconds = 0;
};

/// The sample of a run: the time of its kernels and transfers, where concurrent ones count once;
/// their span; and the launched work by call. Throws Error if there is no kernel. Also throws if a
/// thread without an id launched GPU work after `since_ns`. Then the stage launches from its own
/// threads, which external correlation (one stack per thread) cannot attribute.
DeviceSample attribute(const std::vector<Activity>& activities, const TimedRun& run);

/// The span of all kernels and transfers of all threads, since NCCL has own threads; without the
/// harness's own (kHarnessId). `started_ns`: when the rank left the common barrier, on the records'
/// clock. Communication is the time of NCCL's kernels ("ncclDevKernel_..."). Nothing without
/// kernels and transfers; sm_clock_mhz stays 0.
ranks::DeviceSpan device_span(const std::vector<Activity>& activities, std::uint64_t started_ns);

}  // namespace ratchet::timing
