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

}  // namespace

CommandProgram::CommandProgram(ProgramOptions program)
    : program_(std::move(program)), place_(program_.program / "command") {
  try {
    Launched first = launch();
    prints_ = first.printed;
    if (!first.not_judged.empty() && program_.say)
      program_.say(fmt::format("not judged: {}; rows are compared by their times",
                               fmt::join(first.not_judged, ", ")));
    for (const auto& [row, figure] : first.figures) {
      kinds_[row] = figure.kind.text();
      listing_.rows.push_back(row);
    }
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

CommandProgram::Launched CommandProgram::launch() const {
  Launched launched;
  launched.process =
      run_process({"env", "-C", program_.program.string(), "sh", "-c", program_.command},
                  program_.launch_limit_s);
  if (!launched.process.ok()) throw Error("it " + launched.process.describe());
  if (launched.process.output_cut)
    throw Error(
        "it printed more than 64 MiB, so that figures may be missing; print the figures alone");
  std::vector<Figure> figures =
      read_figures(launched.process.output, program_.direction, &launched.not_judged);
  launched.printed = !figures.empty();
  if (!launched.printed) figures = figures_of_process(launched.process);
  for (Figure& figure : figures) {
    const RowId row = storable_name(program_.name + "/" + figure.name);
    launched.figures[row] = std::move(figure);
  }
  return launched;
}

LaunchOutcome CommandProgram::outcome_of(const RowId& row, const Launched& launched) const {
  LaunchOutcome outcome;
  outcome.seconds = launched.process.seconds;
  const auto found = launched.figures.find(row);
  if (found == launched.figures.end()) {
    outcome.failure = "it printed no figure of this name";
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
