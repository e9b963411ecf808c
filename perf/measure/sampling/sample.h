// One timed run of a stage.
#pragma once

#include <array>
#include <cstdint>

namespace ratchet::timing {

// The GPU work of a run, as the driver recorded it: the launched shapes, without times.
//
// Machine code shows what can be launched; this is what was launched. A kernel is identified by its
// grid, block, cluster, registers and memory, not by its name, which a harmless edit may change. A
// transfer is identified by kind and size.

struct DeviceWork {
  std::uint64_t digest = 0;  ///< of everything below and more; 0 if unknown
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;         ///< of all blocks
  std::uint64_t shared_bytes = 0;    ///< dynamic shared memory of a block, the largest
  std::uint64_t transfer_bytes = 0;  ///< copied or set

  bool operator==(const DeviceWork&) const = default;

  /// Adds work that was launched later.
  void then(const DeviceWork& next);
  /// Adds work of the same call (the nodes of a graph), in any order.
  void add_unordered(const DeviceWork& other);
};

struct KernelShape {
  std::array<std::uint32_t, 3> grid{}, block{}, cluster{};
  std::uint32_t registers = 0;  ///< of a thread
  std::uint32_t static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< of a thread
};

DeviceWork work_of(const KernelShape& kernel);
/// `kind`: the direction of a copy, or the value that memory is set to.
DeviceWork work_of_transfer(std::uint64_t kind, std::uint64_t bytes);

/// (A further member would move the digest of every stage: the wall timer makes a Sample, rule D5
/// of perf/identity/digests/README.md.)
struct Sample {
  /// The reported time. GPU with CUPTI: while at least one kernel or transfer of the run was at
  /// work. So what runs concurrently counts once, and gaps do not count. GPU with events: between
  /// two events around the run. CPU: wall time.
  double seconds = 0;
  /// First start to last end of the same work: larger than `seconds` by the gaps in it. Equal to
  /// `seconds` if the timer cannot measure it.
  double span_seconds = 0;
  /// CPU time of all threads of this process during the run.
  double cpu_seconds = 0;
  /// Mean SM clock during the run; 0 if unknown.
  double sm_clock_mhz = 0;
  /// Kernels launched by the run; 0 if the timer cannot count them.
  std::uint32_t kernels = 0;
  /// The GPU work of the run; nothing if the timer cannot see it.
  DeviceWork device_work;
  /// Taken while the GPU was throttled, and kept for lack of a better sample.
  bool throttled = false;
  /// Involuntary context switches during the run; 0 on a GPU.
  std::uint64_t preemptions = 0;
};

}  // namespace ratchet::timing
