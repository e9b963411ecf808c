// The metrics for the range profiler; needs no GPU.
#include <cmath>

#include "perf/measure/ranges/cupti_range.h"

namespace ratchet::counters {

const std::vector<CounterChoice>& counter_choices() {
  const auto pipe = [](const char* figure, std::vector<std::string> bases) {
    for (std::string& base : bases) base += ".avg.pct_of_peak_sustained_active";
    return CounterChoice{figure, std::move(bases)};
  };
  static const std::vector<CounterChoice> choices = {
      {"executed_instructions", {"smsp__inst_executed.sum", "sm__inst_executed.sum"}},
      pipe("alu_percent", {"sm__inst_executed_pipe_alu", "sm__pipe_alu_cycles_active"}),
      pipe("fma_percent", {"sm__inst_executed_pipe_fma", "sm__pipe_fma_cycles_active"}),
      pipe("xu_percent", {"sm__inst_executed_pipe_xu"}),
      pipe("lsu_percent", {"sm__inst_executed_pipe_lsu"}),
      pipe("tensor_percent", {"sm__pipe_tensor_cycles_active", "sm__inst_executed_pipe_tensor"}),
      {"dram_percent", {"dram__throughput.avg.pct_of_peak_sustained_elapsed"}},
      {"l2_percent", {"lts__throughput.avg.pct_of_peak_sustained_elapsed"}}};
  return choices;
}

std::vector<ChosenMetric> choose_metrics(const std::vector<CounterChoice>& choices,
                                         const std::function<bool(const std::string&)>& supported) {
  std::vector<ChosenMetric> chosen;
  for (const CounterChoice& choice : choices)
    for (const std::string& metric : choice.metrics)
      if (supported(metric)) {
        chosen.push_back({choice.figure, metric});
        break;
      }
  return chosen;
}

Item counted_item(const std::vector<ChosenMetric>& chosen, const std::vector<double>& values) {
  Item item;
  for (std::size_t i = 0; i < chosen.size() && i < values.size(); ++i)
    if (std::isfinite(values[i]) && values[i] >= 0) item.figures[chosen[i].figure] = values[i];
  return item;
}

}  // namespace ratchet::counters
