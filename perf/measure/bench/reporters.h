// Google Benchmark's reporters, printing the registry's names.
//
// A benchmark of one iteration with manual time is called "NAME/iterations:1/manual_time" by Google
// Benchmark. The suffixes say nothing here (a row's iterations are chosen by our stopping rule) and
// would break the rule that a row is named like its stage, so they are taken off before printing.
// And cpu_time, which would be the time of one empty loop, becomes the CPU time of one run,
// measured with the samples.
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

/// A reporter for `format`: "console" or "json". `cpu_seconds` outlives it; rows are looked up
/// there when they are reported. The console shows time and throughput, and the other counters with
/// `all_counters`; JSON has all of them.
std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            bool all_counters);

}  // namespace ratchet::bench
