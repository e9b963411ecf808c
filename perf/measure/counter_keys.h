// The counters of a launch, each key with its unit and meaning: what `ratchet-bench` writes next to
// Google Benchmark's own keys, and what the gate adds. The table in this folder's README.md and the
// counters in the schema of launches (correctness/perf/gate/data/outputs/launches.schema.json) are
// written by RATCHET_WRITE_COUNTERS=1 build/correctness/stages_test --gtest_filter=CounterKeys.*
#pragma once

#include <array>
#include <string>
#include <utility>

namespace ratchet::counter {

/// A key of a launch; converts to it as a text.
struct Counter {
  const char* key;
  const char* unit;  ///< "1": a pure number
  const char* meaning;
  operator std::string() const { return key; }
};

inline constexpr Counter units{"units", "units of work", "work of one run"};
inline constexpr Counter units_per_second{"units_per_second", "units of work per second",
                                          "throughput by `real_time`"};
inline constexpr Counter verified{"verified", "0 or 1",
                                  "1: this build's check passed, here and now or by a valid token"};
inline constexpr Counter verified_in_situ{
    "verified_in_situ", "0 or 1",
    "1: the in-situ check of this build passed, here and now or by a valid token; 0: nothing "
    "checked it, and the label says why"};
inline constexpr Counter timer{"timer", "1 to 4", "1 cupti, 2 events, 3 wall, 4 opencl"};
inline constexpr Counter centre{
    "centre", "1", "the quantile of the samples that `real_time` is: 0.5, on a CPU 0.25"};
inline constexpr Counter samples{"samples", "samples", "taken and kept"};
inline constexpr Counter warmup_samples{"warmup_samples", "samples", "taken before those"};
inline constexpr Counter discarded{"discarded", "samples",
                                   "taken again, because the GPU was throttled"};
inline constexpr Counter throttled{"throttled", "0 or 1", "1: throttled samples had to be kept"};
inline constexpr Counter preempted{"preempted", "samples",
                                   "during which the kernel took a CPU away"};
inline constexpr Counter preempted_kept{"preempted_kept", "0 or 1", "1: they had to be kept"};
inline constexpr Counter slices{
    "slices", "time slices",
    "interleaved with another process: how many this one had; else absent"};
inline constexpr Counter interleaved_ratio{
    "interleaved_ratio", "1",
    "of an interleaved launch: its throughput over the other side's, by the shortest quarter of "
    "the samples of each; added by the gate"};
inline constexpr Counter spread{"spread", "1",
                                "interquartile range of the samples over their median"};
inline constexpr Counter half_width{
    "half_width", "1",
    "relative half width of the 95 % interval of that quantile, at its longer side; 0 when there "
    "are too few samples, 6 for the median, 13 for the quartile. In older baselines a CPU row has "
    "that of the median; no verdict depends on it"};
inline constexpr Counter span_ms{
    "span_ms", "ms", "from the first start to the last end on the GPU; 0 where unknown"};
inline constexpr Counter kernels{"kernels", "kernels", "that a run launches; 0 where unknown"};
inline constexpr Counter sm_clock_mhz{"sm_clock_mhz", "MHz",
                                      "clock of the GPU's SMs, median; 0 where unknown"};
inline constexpr Counter device_work{
    "device_work", "digest",
    "of what a run gave the GPU to do; this and the next four are absent where runs differ"};
inline constexpr Counter blocks{"blocks", "blocks", "that a run launches on the GPU"};
inline constexpr Counter gpu_threads{"gpu_threads", "threads", "of all these blocks"};
inline constexpr Counter shared_bytes{"shared_bytes", "bytes",
                                      "of dynamic shared memory, of the block with the most"};
inline constexpr Counter transfer_bytes{"transfer_bytes", "bytes",
                                        "that a run copies or sets on the GPU"};
inline constexpr Counter start_up_ms{
    "start_up_ms", "ms",
    "from the process's start to its first row: CPU time before the program's own start, wall time "
    "after"};
inline constexpr Counter launch_s{"launch_s", "s",
                                  "wall time of this row: check, preparation, warm-up, samples"};
inline constexpr Counter one_cpu{"one_cpu", "1",
                                 "1: a row of one thread, kept on one CPU; else absent"};
inline constexpr Counter slowdown{"slowdown", "1",
                                  "with `--ratchet_slowdown`: the share asked for; else absent"};
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
                              "that other processes kept busy while the row lasted, on average "
                              "(`/proc/stat`); absent when unknown"};
inline constexpr Counter steal_percent{
    "steal_percent", "%",
    "share of the CPUs' time that the hypervisor gave to others; absent when unknown"};
inline constexpr Counter gpu_others{
    "gpu_others", "processes",
    "other processes with a context on the GPU (NVML); absent when unknown"};
inline constexpr Counter gpu_throttle_reasons{
    "gpu_throttle_reasons", "bits",
    "all of NVML's reasons for lowered clocks seen every 50 ms: 1 idle, 2 application clocks, 4 "
    "power cap, 8 hardware, 16 sync boost, 32 and 64 heat, 128 power brake; absent when unknown"};
inline constexpr Counter ranks{"ranks", "processes",
                               "of a row of several; this and the next four are absent elsewhere"};
inline constexpr Counter rank_spread{
    "rank_spread", "1",
    "how much later the last rank finished its own work than the first, as a share of the run's "
    "time; median of the runs"};
inline constexpr Counter communication_ms{
    "communication_ms", "ms",
    "what the rank that waited least spent in communication; median of the runs"};
inline constexpr Counter ranks_sm_clock_mhz_lowest{
    "ranks_sm_clock_mhz_lowest", "MHz",
    "the slowest SM clock of all ranks' GPUs in any run; absent without GPUs"};
inline constexpr Counter ranks_sm_clock_mhz_highest{"ranks_sm_clock_mhz_highest", "MHz",
                                                    "the fastest, likewise"};
inline constexpr Counter limit_percent{
    "limit_percent", "%",
    "with `--ratchet_peaks`: share reached of the resource that bounds the stage"};
inline constexpr Counter occasion{
    "occasion", "number", "of the occasion that a stored launch is of, from 0; added by `accept`"};

/// Every one of them, in the order of the table.
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

/// Former keys, which earlier files have, with what they are called now.
inline constexpr std::array<std::pair<const char*, Counter>, 5> renamed = {
    {{"point_checked", verified_in_situ},
     {"session", occasion},
     {"reference_per_second", control_per_second},
     {"reference_passes", control_passes},
     {"reference_version", control_version}}};

/// The key as it is now, of one that was read.
inline std::string current(const std::string& key) {
  for (const auto& [old, now] : renamed)
    if (key == old) return now;
  return key;
}

}  // namespace ratchet::counter
