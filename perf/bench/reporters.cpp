#include "perf/bench/reporters.h"

#include <unistd.h>

#include <utility>

namespace ratchet::bench {
namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  template <class... Arguments>
  StageReporter(const CpuSeconds& cpu_seconds, RowLog* log, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), cpu_seconds_(cpu_seconds), log_(log) {}

  bool ReportContext(const benchmark::BenchmarkReporter::Context& context) override {
    if (log_) log_->context(context);
    return Base::ReportContext(context);
  }

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      const auto cpu = cpu_seconds_.find(run.run_name.function_name);
      if (cpu != cpu_seconds_.end())
        run.cpu_accumulated_time = cpu->second * static_cast<double>(run.iterations);
    }
    if (log_) log_->rows(renamed);
    Base::ReportRuns(renamed);
  }

 private:
  const CpuSeconds& cpu_seconds_;
  RowLog* log_;
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            RowLog* log) {
  using benchmark::ConsoleReporter;
  if (format == "json")
    return std::make_unique<StageReporter<benchmark::JSONReporter>>(cpu_seconds, log);
  return std::make_unique<StageReporter<ConsoleReporter>>(
      cpu_seconds, log,
      isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
