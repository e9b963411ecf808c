// Instructions that a CPU stage executes in one small run: a figure that does not depend on busy
// neighbours or the clock rate.
//
// Callgrind, valgrind's instruction simulator, counts the user instructions of the timed act;
// client requests start and stop it. Without valgrind the CPU counts through perf_event_open, if
// the machine allows it. The counting tool, the compiler, the C library and the instruction set
// that Highway chose are parts of the basis: Callgrind has no AVX-512, so stages run as AVX2 there.
// Stages with a `threads` parameter are left out, since their count depends on how long threads
// wait.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "kernels/contract/parameters.h"
#include "perf/identity/static_metrics/metrics.h"

namespace ratchet::counters {

/// The largest size at which stages are counted.
constexpr std::uint64_t counted_size = 10000;

/// Counts every CPU stage that `wanted` names, each in its own process (`ratchet metrics-worker
/// STAGE`; `ratchet`: this program). A stage that fails, takes longer than 60 s or cannot run here
/// is left out and listed in `not_counted`; failures are reported on stderr. Throws `NoMetrics` if
/// instructions cannot be counted here, or if no count succeeded.
std::vector<StaticMetrics> cpu_metrics(const std::filesystem::path& ratchet,
                                       const std::function<bool(const std::string&)>& wanted);

/// Parameters besides the size for counting the stages of a family, for defaults that take long to
/// prepare: counting is fifty times slower than running. A family registers it from
/// correctness/<family>/, at namespace scope. It is not a field of StageInfo: the code that makes a
/// StageInfo is part of the rows' digests, so a new field would change every stored digest.
class CountedRunRegistration {
 public:
  CountedRunRegistration(const std::string& family, const ParameterPoint& point);
};

/// Nothing if the family registered none.
ParameterPoint counted_run(const std::string& family);

/// The worker: prepares the stage, runs it once, runs it again while counting, and writes one JSON
/// line {"run": "battles=10000", "target": "AVX2", "instructions": 1234 or null} to `out`. Under
/// Callgrind the count is null, and Callgrind's own file holds it.
ExitCode count_here(const std::string& stage, std::ostream& out);

/// The total of a callgrind.out file. Throws `Error` naming `what` if there is none.
double callgrind_total(std::string_view text, const std::string& what);

// The CPU's count of user instructions of this thread, if the machine provides it.

/// perf_event_open(PERF_COUNT_HW_INSTRUCTIONS), user space of the calling thread. Without a
/// counter, as in many virtual machines, or without permission, available() is false.
class InstructionCounter {
 public:
  InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;
  ~InstructionCounter();

  bool available() const { return descriptor_ >= 0; }
  void start();
  /// Instructions since start(); nothing if they cannot be read.
  std::optional<std::uint64_t> stop();

 private:
  int descriptor_ = -1;
};

}  // namespace ratchet::counters
