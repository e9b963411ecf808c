#include "perf/measure/bench/reporters.h"

#include <unistd.h>

namespace ratchet::bench {
namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  template <class... Arguments>
  explicit StageReporter(const CpuSeconds& cpu_seconds, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), cpu_seconds_(cpu_seconds) {}

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      const auto cpu = cpu_seconds_.find(run.run_name.function_name);
      if (cpu != cpu_seconds_.end())
        run.cpu_accumulated_time = cpu->second * static_cast<double>(run.iterations);
    }
    Base::ReportRuns(renamed);
  }

 private:
  const CpuSeconds& cpu_seconds_;
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds) {
  using benchmark::ConsoleReporter;
  if (format == "json")
    return std::make_unique<StageReporter<benchmark::JSONReporter>>(cpu_seconds);
  return std::make_unique<StageReporter<ConsoleReporter>>(
      cpu_seconds, isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
