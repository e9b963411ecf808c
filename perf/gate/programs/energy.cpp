#include "perf/gate/programs/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/contract/counted.h"
#include "perf/gate/programs/instructions.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/error.h"

namespace ratchet::gate {

std::unique_ptr<timing::EnergyCounter> energy_counter(const Metric& metric,
                                                      const std::filesystem::path& powercap) {
  if (metric.kind.text() != FigureKind{energy_unit, Better::smaller}.text())
    throw Error(
        fmt::format("--metric {0}: {0} is in J, smaller is better, not {1}; write {0} alone",
                    metric.name, metric.kind.text()));
  try {
    if (metric.name == device_energy_metric) return std::make_unique<timing::GpuEnergy>();
    return std::make_unique<timing::PackageEnergy>(powercap);
  } catch (const Error& error) {
    const std::string why = error.what();
    const bool remedy = why.find("; ") != std::string::npos;
    throw Error(fmt::format("--metric {}: {}{} leave the metric out", metric.name, why,
                            remedy ? "; or" : ";"));
  }
}

std::string whose_energy(const std::string& metric) {
  const bool gpu = metric == device_energy_metric;
  return fmt::format("{} is that of {}: other processes on {}, and idling, are in it", metric,
                     gpu ? "whole GPUs" : "whole CPU packages",
                     gpu ? "them" : "any of their cores");
}

double energy_of_a_call(const std::function<EnergyOfLaunch(std::int64_t calls)>& launch,
                        std::int64_t& calls, double least_s) {
  constexpr double most_at_once = 32;  // a start that was slower by chance looks like short calls
  constexpr std::int64_t most = std::int64_t{1} << 40;
  while (true) {
    const EnergyOfLaunch once = launch(calls), twice = launch(2 * calls);
    if (twice.calls <= once.calls)
      throw Error(fmt::format("asked for {} calls, and for {}, it made {} and {}", calls, 2 * calls,
                              once.calls, twice.calls));
    const double longer_s = twice.seconds - once.seconds;
    if (longer_s >= least_s) {
      const double joules = (twice.joules - once.joules) / (twice.calls - once.calls);
      if (joules > 0) return joules;
      throw Error(
          fmt::format("{} calls took {:.3g} J, and {} took {:.3g} J: something else took more; "
                      "keep the machine idle, or give a call more work",
                      once.calls, once.joules, twice.calls, twice.joules));
    }
    if (calls >= most)
      throw Error(
          fmt::format("{} calls more take {:.3g} s: nothing to count energy of", calls, longer_s));
    const double factor = std::clamp(2 * least_s / std::max(longer_s, 1e-9), 2., most_at_once);
    calls = std::min(most, calls << std::ilogb(factor));
  }
}

/// Whether this row can have it; where not, say_rows_without_energy() says so. Throws `Error` where
/// this machine has no counter.
bool ThirdPartyProgram::can_have_energy(const RowId& row, const Metric& metric) {
  if (!energy_.contains(metric.name)) {
    energy_[metric.name] = energy_counter(metric, program_.powercap);
    if (program_.say && program_.require_metrics) program_.say(whose_energy(metric.name));
  }
  if (takes_calls(row)) return true;
  without_energy_[metric.name].push_back(row);
  return false;
}

/// Throws `Error` where the command line names it and no row has it. That of a baseline is missing.
void ThirdPartyProgram::say_rows_without_energy() const {
  if (!program_.require_metrics) return;
  for (const auto& [metric, rows] : without_energy_) {
    const std::string why = fmt::format(
        "--metric {}: the number of calls of {} cannot be set (Google Benchmark 1.8 can, if a row "
        "states none), and so the energy of one is not known",
        metric, first_of(rows.front().text(), rows.size()));
    const auto has_it = [&](const auto& of) { return of.second.metric.name == metric; };
    const auto is_it = [&](const std::string& text) {
      return read_metric(text, program_.direction).name == metric;
    };
    const auto& named = program_.metrics;
    if (std::any_of(named.begin(), named.end(), is_it) &&
        std::none_of(metrics_.begin(), metrics_.end(), has_it))
      throw Error(why + "; leave the metric out");
    if (program_.say) program_.say(why);
  }
}

double ThirdPartyProgram::energy_of(const OfRow& of, const LaunchRequest& request) const {
  timing::EnergyCounter& counter = *energy_.at(of.metric.name);
  LaunchRequest asked = request;
  const auto launch_of = [&](std::int64_t calls) {
    asked.calls = calls;
    Launched launched;
    EnergyOfLaunch took;
    took.joules = counter.joules_of([&] { launched = launch(of.row, asked); });
    if (!launched.outcome.launch) throw Error(launched.outcome.failure);
    took.calls = static_cast<double>(launched.outcome.launch->iterations);
    took.seconds = launched.outcome.seconds;
    return took;
  };
  std::int64_t& calls = calls_for_energy_[of.metric.name][of.row];
  if (calls == 0) {
    asked.budget_s = 2 * counter.least_s();
    calls = calls_to_count(launch_of(0).calls);
  }
  return energy_of_a_call(launch_of, calls, counter.least_s());
}

}  // namespace ratchet::gate
