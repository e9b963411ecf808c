#include "perf/bench/reporters.h"

#include <unistd.h>

#include <utility>

namespace ratchet::bench {
namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  template <class... Arguments>
  explicit StageReporter(RowLog* log, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), log_(log) {}

  bool ReportContext(const benchmark::BenchmarkReporter::Context& context) override {
    if (log_) log_->context(context);
    return Base::ReportContext(context);
  }

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
    if (log_) log_->rows(renamed);
    Base::ReportRuns(renamed);
  }

 private:
  RowLog* log_;
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            RowLog* log) {
  using benchmark::ConsoleReporter;
  if (format == "json") return std::make_unique<StageReporter<benchmark::JSONReporter>>(log);
  return std::make_unique<StageReporter<ConsoleReporter>>(
      log, isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
