// Instructions that a CPU stage executes in one small run: a figure that neither a busy neighbour
// nor the clock rate changes.
//
// Counted by Callgrind (valgrind's instruction simulator: user instructions of the timed act alone,
// switched on and off by client requests), or by the CPU through perf_event_open where valgrind is
// not installed and the machine allows it. The two, the compiler, the C library and the instruction
// set that Highway chose are parts of the basis: Callgrind has no AVX-512, so stages run as AVX2
// there. Stages with a `threads` parameter are left out: how often a thread waits is not their
// code's doing.
#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "kernels/contract/parameters.h"
#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

/// The size at which stages are counted, at most.
constexpr std::uint64_t counted_size = 10000;

/// Counts every CPU stage that `wanted` names, each in a process of its own (`ratchet
/// metrics-worker STAGE`, by `ratchet`, this program). A stage that fails or takes longer than 60
/// s is named on stderr, left out and among `not_counted`, as one that this machine cannot run is.
/// Throws `NoMetrics` when nothing here can count instructions, and when no count succeeded.
std::vector<StaticMetrics> cpu_metrics(const std::filesystem::path& ratchet,
                                       const std::function<bool(const std::string&)>& wanted);

/// What is set besides the size where the stages of a family are counted, fifty times slower than
/// they run: for defaults that take long to prepare. A family registers it from
/// correctness/<family>/, at namespace scope. (No field of StageInfo: how that is made is part of
/// what a row executes, by its digest, and a field more would make every stored row one of other
/// work.)
class CountedRunRegistration {
 public:
  CountedRunRegistration(const std::string& family, const ParameterPoint& point);
};

/// Nothing where the family registered none.
ParameterPoint counted_run(const std::string& family);

/// The worker: prepares the stage, runs it once, runs it once more while counting, and writes one
/// JSON line {"run": "battles=10000", "target": "AVX2", "instructions": 1234 or null} to `out`.
/// Under Callgrind the count is null here and stands in Callgrind's own file.
ExitCode count_here(const std::string& stage, std::ostream& out);

/// The instructions that a callgrind.out file sums up. Throws `Error` naming `what` without one.
double callgrind_total(std::string_view text, const std::string& what);

}  // namespace ratchet::counters
