// Any command, whose rows are the figures that it prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/contract/counted.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

constexpr const char *wall_row = "wall", *cpu_row = "cpu", *memory_row = "memory";

/// What the kernel counted of a process and those that it waited for.
std::vector<Figure> figures_of_process(const ProcessResult& process) {
  return {{wall_row, process.seconds, {"s", Better::smaller}},
          {cpu_row, process.cpu_s, {"s", Better::smaller}},
          {memory_row, peak_mb(process.peak_bytes), {"MB", Better::smaller}}};
}

bool tells_directions(const std::string& output) try {
  read_figures(output, std::nullopt);
  return true;
} catch (const Error&) {
  return false;
}

/// Of the command itself, and not of what it prints.
class Failed : public Error {
  using Error::Error;
};

}  // namespace

CommandProgram::CommandProgram(ProgramOptions program)
    : program_(std::move(program)), place_(program_.program / "command") {
  open_energy();
  try {
    const Launched first = launch();
    require_energy(first);
    prints_ = first.printed;
    if (!first.not_judged.empty() && program_.say)
      program_.say(fmt::format("not judged: {}; rows are compared by their times",
                               fmt::join(first.not_judged, ", ")));
    if (program_.direction && program_.require_metrics && program_.say &&
        tells_directions(first.process.output))
      program_.say("--direction has no effect: every figure or its unit tells its own");
    for (const auto& [row, figure] : first.figures) {
      kinds_[row] = figure.kind.text();
      listing_.rows.push_back(row);
    }
  } catch (const Failed& error) {
    throw Error(fmt::format("the command {} in {}: {}; run it there by hand", program_.command,
                            program_.program.string(), error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("the command {} in {}: {}", program_.command, program_.program.string(),
                            error.what()));
  }
  listing_.name = program_.name;
  listing_.program = "the command " + program_.command;
  listing_.command = true;
}

CodeIdentity CommandProgram::code_identity() const {
  CodeIdentity identity;
  identity.context = nlohmann::json::object();
  for (const auto& [key, value] : machine_fields()) identity.context[key] = value;
  identity.units = kinds_;
  return identity;
}

/// Those of the command line, and those that a baseline has. Throws `Error` where one that the
/// command line names is not counted here; one of a baseline is then missing.
void CommandProgram::open_energy() {
  if (wants_no_metrics(program_.metrics)) return;
  for (const Metric& metric : read_metrics(program_.metrics, program_.direction)) {
    energy_[metric.name] = energy_counter(metric, program_.powercap);
    if (program_.say && program_.require_metrics) program_.say(whose_energy(metric.name));
  }
  for (const char* name : {energy_metric, device_energy_metric}) {
    const auto stored = program_.stored_metrics.find(row_of(name));
    if (stored == program_.stored_metrics.end() || energy_.contains(name)) continue;
    try {
      energy_[name] = energy_counter({name, stored->second}, program_.powercap);
    } catch (const Error& error) {
      if (program_.say) program_.say(error.what());
    }
  }
}

/// Throws `Error` where the command line names an energy that the first launch lacks. One of a
/// baseline is then missing.
void CommandProgram::require_energy(const Launched& first) {
  for (auto of = energy_.begin(); of != energy_.end();) {
    const std::string& metric = of->first;
    const auto failed = first.failures.find(row_of(metric));
    const auto is_it = [&](const std::string& text) {
      return read_metric(text, program_.direction).name == metric;
    };
    const bool named = program_.require_metrics &&
                       std::any_of(program_.metrics.begin(), program_.metrics.end(), is_it);
    std::string why;
    if (failed != first.failures.end()) why = failed->second;
    if (!why.empty() && named)
      throw Error(fmt::format("--metric {}: {}, or leave the metric out", metric, why));
    if (first.printed_energy.contains(metric) && named)
      why = "the command prints a figure of this name, which is gated in its place";
    if (!why.empty() && program_.say) program_.say(fmt::format("--metric {}: {}", metric, why));
    const bool measured = why.empty() && !first.printed_energy.contains(metric);
    of = measured ? std::next(of) : energy_.erase(of);
  }
}

/// With the J that each counter of energy gained meanwhile.
ProcessResult CommandProgram::run(std::map<std::string, double>& joules) const {
  ProcessResult result;
  std::function<void()> work = [&] {
    result = run_process({"env", "-C", program_.program.string(), "sh", "-c", program_.command},
                         program_.launch_limit_s);
  };
  for (const auto& [metric, counter] : energy_)
    work = [&joules, metric = metric, counter = counter.get(), inner = std::move(work)] {
      joules[metric] = counter->joules_of(inner);
    };
  work();
  return result;
}

/// Figures of those names that the command prints itself stay.
void CommandProgram::add_energy(const std::map<std::string, double>& joules,
                                Launched& launched) const {
  for (const auto& [metric, counter] : energy_) {
    const RowId row = row_of(metric);
    if (launched.figures.contains(row)) {
      launched.printed_energy.insert(metric);
    } else if (const double s = launched.process.seconds; s < counter->least_s()) {
      launched.failures[row] = fmt::format(
          "a launch took {:.3g} s, and the counter's steps allow {:g} s or more; let the command "
          "do more work",
          s, counter->least_s());
    } else if (joules.at(metric) <= 0) {
      launched.failures[row] = fmt::format("its counter did not move in {:.3g} s", s);
    } else {
      launched.figures[row] = {metric, joules.at(metric), {energy_unit, Better::smaller}};
    }
  }
}

CommandProgram::Launched CommandProgram::launch() const {
  Launched launched;
  std::map<std::string, double> joules;
  launched.process = run(joules);
  if (!launched.process.ok()) throw Failed("it " + launched.process.describe());
  if (launched.process.output_cut)
    throw Error(
        "it printed more than 64 MiB, so that figures may be missing; print the figures alone");
  std::vector<Figure> figures =
      read_figures(launched.process.output, program_.direction, &launched.not_judged);
  launched.printed = !figures.empty();
  if (!launched.printed) figures = figures_of_process(launched.process);
  for (Figure& figure : figures) {
    const RowId row = row_of(figure.name);
    launched.figures[row] = std::move(figure);
  }
  add_energy(joules, launched);
  return launched;
}

LaunchOutcome CommandProgram::outcome_of(const RowId& row, const Launched& launched) const {
  LaunchOutcome outcome;
  outcome.seconds = launched.process.seconds;
  const auto found = launched.figures.find(row);
  if (found == launched.figures.end()) {
    const auto why = launched.failures.find(row);
    outcome.failure =
        why == launched.failures.end() ? "it printed no figure of this name" : why->second;
    return outcome;
  }
  const Figure& figure = found->second;
  outcome.basis = figure.kind.text();
  if (const std::string& listed = kinds_.at(row); listed != outcome.basis) {
    outcome.failure =
        fmt::format("it is in {}, but was in {} in the first launch", outcome.basis, listed);
    return outcome;
  }
  const auto unit_s = seconds_in(figure.kind.unit);
  Launch& launch = outcome.launch.emplace();
  launch.real_ms = 1e3 * (unit_s ? figure.value * *unit_s : launched.process.seconds);
  launch.cpu_ms = 1e3 * launched.process.cpu_s;
  launch.counters[counter::units_per_second] = figure.kind.throughput(figure.value);
  if (check_.passed()) launch.counters[counter::verified] = 1;
  if (!unit_s) return outcome;
  outcome.clock = launched.printed         ? Clock::manual
                  : figure.name == cpu_row ? Clock::cpu
                                           : Clock::wall;
  if (const auto share =
          queued_share(launch, outcome.clock, launched.process.scheduled, launched.process.seconds))
    launch.counters[counter::queued] = *share;
  return outcome;
}

LaunchOutcome CommandProgram::measure(const RowId& row, const LaunchRequest& request) const {
  return measure_together({row}, request).at(row);
}

std::map<RowId, LaunchOutcome> CommandProgram::measure_together(const std::vector<RowId>& rows,
                                                                const LaunchRequest&) const {
  std::map<RowId, LaunchOutcome> outcomes;
  std::string failure;
  Launched launched;
  try {
    launched = launch();
    std::set<RowId> unknown;
    for (const auto& [row, figure] : launched.figures)
      if (!kinds_.count(row)) unknown.insert(row);
    if (launched.printed != prints_)
      failure = prints_ ? "it printed no figures" : "it printed figures, in the first launch none";
    else if (!unknown.empty())
      failure = fmt::format("it printed {}, which it did not in the first launch",
                            first_of(unknown.begin()->text(), unknown.size()));
  } catch (const Error& error) {
    failure = error.what();
  }
  for (const RowId& row : rows) {
    if (failure.empty())
      outcomes[row] = outcome_of(row, launched);
    else
      outcomes[row].failure = failure;
  }
  return outcomes;
}

}  // namespace ratchet::gate
