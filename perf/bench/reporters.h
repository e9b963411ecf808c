// Google Benchmark's reporters, printing the registry's names.
//
// A benchmark of one iteration with manual time is called "NAME/iterations:1/manual_time" by Google
// Benchmark. The suffixes say nothing here (a row's iterations are chosen by our stopping rule) and
// would break the rule that a row is named like its stage, so they are taken off before printing.
// And cpu_time, which would be the time of one empty loop, becomes the CPU time of one run,
// measured with the samples.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <string>

namespace ratchet::bench {

/// Name of the counter that carries the CPU seconds of one run to the reporter, which removes it.
inline constexpr char kCpuSecondsCounter[] = "cpu_seconds";

/// A reporter for `format`: "console" or "json".
std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format);

}  // namespace ratchet::bench
