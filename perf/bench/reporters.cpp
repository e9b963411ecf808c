#include "perf/bench/reporters.h"

#include <unistd.h>

namespace ratchet::bench {
namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  using Base::Base;

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      const auto cpu = run.counters.find(kCpuSecondsCounter);
      if (cpu == run.counters.end()) continue;
      run.cpu_accumulated_time = cpu->second.value * static_cast<double>(run.iterations);
      run.counters.erase(cpu);
    }
    Base::ReportRuns(renamed);
  }
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format) {
  using benchmark::ConsoleReporter;
  if (format == "json") return std::make_unique<StageReporter<benchmark::JSONReporter>>();
  return std::make_unique<StageReporter<ConsoleReporter>>(
      isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
