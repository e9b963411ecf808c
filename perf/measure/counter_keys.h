// The counters of a launch, each with key, unit and meaning: `ratchet-bench` writes them next to
// Google Benchmark's own keys, and the gate adds some. RATCHET_WRITE_COUNTERS=1
// build/correctness/stages_test --gtest_filter=CounterKeys.* writes the table in this folder's
// README.md and the schema of launches (correctness/perf/gate/data/outputs/launches.schema.json).
#pragma once

#include <array>
#include <string>
#include <utility>

namespace ratchet::counter {

/// A counter of a launch; converts to its key.
struct Counter {
  const char* key;
  const char* unit;  ///< "1": a pure number
  const char* meaning;
  operator std::string() const { return key; }
};

inline constexpr Counter units{"units", "units of work", "work of one run"};
inline constexpr Counter units_per_second{"units_per_second", "units of work per second",
                                          "throughput by `real_time`"};
inline constexpr Counter verified{
    "verified", "0 or 1", "1: this build's check passed, in this launch or by a valid token"};
inline constexpr Counter verified_in_situ{
    "verified_in_situ", "0 or 1",
    "1: the in-situ check of this build passed, in this launch or by a valid token; 0: it was not "
    "checked in situ, and the label states the reason"};
inline constexpr Counter timer{"timer", "1 to 4", "1 cupti, 2 events, 3 wall, 4 opencl"};
inline constexpr Counter centre{"centre", "1",
                                "`real_time` is this quantile of the samples: 0.5, on a CPU 0.25"};
inline constexpr Counter samples{"samples", "samples", "kept"};
inline constexpr Counter warmup_samples{"warmup_samples", "samples",
                                        "taken before those, to warm up"};
inline constexpr Counter discarded{"discarded", "samples",
                                   "discarded and repeated, because the GPU was throttled"};
inline constexpr Counter throttled{"throttled", "0 or 1", "1: throttled samples had to be kept"};
inline constexpr Counter preempted{"preempted", "samples",
                                   "during which the kernel preempted the row"};
inline constexpr Counter preempted_kept{"preempted_kept", "0 or 1",
                                        "1: preempted samples had to be kept"};
inline constexpr Counter slices{"slices", "time slices",
                                "of this process, if interleaved with another one; else absent"};
inline constexpr Counter interleaved_ratio{
    "interleaved_ratio", "1",
    "of an interleaved launch: its throughput over the other side's, by the shortest quarter of "
    "the samples of each; added by the gate"};
inline constexpr Counter spread{"spread", "1",
                                "interquartile range of the samples over their median"};
inline constexpr Counter half_width{
    "half_width", "1",
    "relative half width of the 95 % interval of that quantile, at its longer side; 0 with fewer "
    "samples than 6 for the median or 13 for the quartile. In older baselines a CPU row has that "
    "of the median; no verdict depends on it"};
inline constexpr Counter span_ms{"span_ms", "ms",
                                 "from the first start to the last end on the GPU; 0 if unknown"};
inline constexpr Counter gaps_ms{
    "gaps_ms", "ms",
    "of `span_ms`, outside of `real_time`: while none of the run's kernels and transfers was at "
    "work; absent below 1 % of `span_ms`"};
inline constexpr Counter overlap_ms{
    "overlap_ms", "ms",
    "by `time_row`: the durations of the run's kernels and transfers, summed, beyond `real_time`, "
    "where concurrent ones count once; absent below 1 % of `span_ms`"};
inline constexpr Counter cold{
    "cold", "1",
    "by `time_row`: 1: the GPU's L2 cache was evicted before each sample; else absent"};
inline constexpr Counter kernels{"kernels", "kernels", "launched by a run; 0 if unknown"};
inline constexpr Counter sm_clock_mhz{"sm_clock_mhz", "MHz",
                                      "median clock of the GPU's SMs; 0 if unknown"};
inline constexpr Counter device_work{
    "device_work", "digest",
    "of the GPU work of a run; this and the next four are absent if runs differ"};
inline constexpr Counter blocks{"blocks", "blocks", "launched by a run on the GPU"};
inline constexpr Counter gpu_threads{"gpu_threads", "threads", "of all these blocks"};
inline constexpr Counter shared_bytes{"shared_bytes", "bytes",
                                      "of dynamic shared memory per block, the largest"};
inline constexpr Counter transfer_bytes{"transfer_bytes", "bytes",
                                        "copied or set on the GPU by a run"};
inline constexpr Counter start_up_ms{
    "start_up_ms", "ms",
    "from the process's start to its first row: CPU time before the program's own start, wall time "
    "after"};
inline constexpr Counter launch_s{"launch_s", "s",
                                  "wall time of this row: check, preparation, warm-up, samples"};
inline constexpr Counter one_cpu{"one_cpu", "1",
                                 "1: a row of one thread, pinned to one CPU; else absent"};
inline constexpr Counter queued{
    "queued", "1",
    "of a third-party program's row by wall or manual time: the share of the time that its main "
    "thread was ready to run, without a CPU; added by the gate where the kernel counts it"};
inline constexpr Counter slowdown{"slowdown", "1",
                                  "the share injected by `--ratchet_slowdown`; else absent"};
inline constexpr Counter control_per_second{
    "control_per_second", "passes per second",
    "of the control workload, by the lower quartile of its passes; this and the next two are "
    "absent on a GPU's rows"};
inline constexpr Counter control_passes{"control_passes", "passes", "of the control workload"};
inline constexpr Counter control_version{
    "control_version", "version",
    "of the control workload; rates of different versions are not compared"};
inline constexpr Counter cpu_mhz{
    "cpu_mhz", "MHz",
    "clock of the row's CPU at its end: a chain of dependent additions, one cycle each; absent on "
    "CUDA rows"};
inline constexpr Counter load{"load", "CPUs",
                              "kept busy by other processes during the row, on average "
                              "(`/proc/stat`); absent if unknown"};
inline constexpr Counter steal_percent{
    "steal_percent", "%",
    "share of the CPUs' time that the hypervisor gave to others; absent if unknown"};
inline constexpr Counter gpu_others{
    "gpu_others", "processes",
    "other processes with a context on the GPU (NVML); absent if unknown"};
inline constexpr Counter gpu_throttle_reasons{
    "gpu_throttle_reasons", "bits",
    "all of NVML's reasons for lowered clocks seen every 50 ms: 1 idle, 2 application clocks, 4 "
    "power cap, 8 hardware, 16 sync boost, 32 and 64 heat, 128 power brake; absent if unknown"};
inline constexpr Counter ranks{"ranks", "processes",
                               "of a row of several ranks; absent elsewhere, like the next four"};
inline constexpr Counter rank_spread{
    "rank_spread", "1",
    "how much later the last rank finished its own work than the first, as a share of the run's "
    "time; median of the runs"};
inline constexpr Counter communication_ms{
    "communication_ms", "ms",
    "communication time of the rank that waited least; median of the runs"};
inline constexpr Counter ranks_sm_clock_mhz_lowest{
    "ranks_sm_clock_mhz_lowest", "MHz",
    "the slowest SM clock of all ranks' GPUs in any run; absent without GPUs"};
inline constexpr Counter ranks_sm_clock_mhz_highest{"ranks_sm_clock_mhz_highest", "MHz",
                                                    "the fastest, likewise"};
inline constexpr Counter limit_percent{
    "limit_percent", "%",
    "with `--ratchet_peaks`: share of the machine peak of the stage's limiting resource"};
inline constexpr Counter occasion{"occasion", "number",
                                  "of the occasion of a stored launch, from 0; added by `accept`"};

/// All counters, in the order of the table.
inline constexpr std::array all = {units,
                                   units_per_second,
                                   verified,
                                   verified_in_situ,
                                   timer,
                                   centre,
                                   samples,
                                   warmup_samples,
                                   discarded,
                                   throttled,
                                   preempted,
                                   preempted_kept,
                                   slices,
                                   interleaved_ratio,
                                   spread,
                                   half_width,
                                   span_ms,
                                   gaps_ms,
                                   overlap_ms,
                                   cold,
                                   kernels,
                                   sm_clock_mhz,
                                   device_work,
                                   blocks,
                                   gpu_threads,
                                   shared_bytes,
                                   transfer_bytes,
                                   start_up_ms,
                                   launch_s,
                                   one_cpu,
                                   queued,
                                   slowdown,
                                   control_per_second,
                                   control_passes,
                                   control_version,
                                   cpu_mhz,
                                   load,
                                   steal_percent,
                                   gpu_others,
                                   gpu_throttle_reasons,
                                   ranks,
                                   rank_spread,
                                   communication_ms,
                                   ranks_sm_clock_mhz_lowest,
                                   ranks_sm_clock_mhz_highest,
                                   limit_percent,
                                   occasion};

/// Former keys in earlier files, with the current counters.
inline constexpr std::array<std::pair<const char*, Counter>, 5> renamed = {
    {{"point_checked", verified_in_situ},
     {"session", occasion},
     {"reference_per_second", control_per_second},
     {"reference_passes", control_passes},
     {"reference_version", control_version}}};

/// The current key of a key that was read.
inline std::string current(const std::string& key) {
  for (const auto& [old, now] : renamed)
    if (key == old) return now;
  return key;
}

}  // namespace ratchet::counter
