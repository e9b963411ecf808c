#include "perf/measure/bench/reporters.h"

#include <unistd.h>

#include <map>

#include "perf/measure/counter_keys.h"

namespace ratchet::bench {
namespace {

template <class Base>
class StageReporter final : public Base {
 public:
  template <class... Arguments>
  StageReporter(const CpuSeconds& cpu_seconds, bool all_counters, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...),
        cpu_seconds_(cpu_seconds),
        all_counters_(all_counters) {}

  void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      run.run_name.iterations.clear();
      run.run_name.time_type.clear();
      const auto cpu = cpu_seconds_.find(run.run_name.function_name);
      if (cpu != cpu_seconds_.end())
        run.cpu_accumulated_time = cpu->second * static_cast<double>(run.iterations);
      if (!all_counters_)
        std::erase_if(run.counters, [](const auto& counter) {
          return counter.first != counter::units_per_second.key &&
                 counter.first != counter::limit_percent.key;
        });
      // Of the label what follows the timer and why sampling stopped: how the result was checked.
      if (!all_counters_)
        run.report_label.resize(
            std::min(run.report_label.size(), run.report_label.find(kInSituLabel)));
    }
    Base::ReportRuns(renamed);
  }

 private:
  const CpuSeconds& cpu_seconds_;
  const bool all_counters_;
};

}  // namespace

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string& format,
                                                            const CpuSeconds& cpu_seconds,
                                                            bool all_counters) {
  using benchmark::ConsoleReporter;
  if (format == "json")
    return std::make_unique<StageReporter<benchmark::JSONReporter>>(cpu_seconds, true);
  return std::make_unique<StageReporter<ConsoleReporter>>(
      cpu_seconds, all_counters,
      isatty(STDOUT_FILENO) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
}

}  // namespace ratchet::bench
