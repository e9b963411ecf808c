// Google Benchmark's reporters, printing the registry's names.
//
// Google Benchmark names a benchmark of one iteration with manual time
// "NAME/iterations:1/manual_time". A row is named like its stage, so the reporters remove these
// suffixes. They also replace cpu_time, which would be the time of one empty loop, by the CPU time
// of one run, measured with the samples.
#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace ratchet::bench {

/// Where in a row's label the words on its in-situ check begin.
inline constexpr std::string_view kInSituLabel = "; in situ ";

/// CPU seconds of one run, by row.
using CpuSeconds = std::map<std::string, double>;

/// A reporter for `format`: "console" or "json". It looks rows up in `cpu_seconds`, which must
/// outlive it. The console shows time and throughput, with `all_counters` all counters; JSON has
/// all of them.
std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            bool all_counters);

}  // namespace ratchet::bench
