// The metrics of a third-party program's rows (perf/gate/baseline/metric.h).
#include <fmt/format.h>

#include <algorithm>

#include "kernels/contract/counted.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/gate/run/run_options.h"
#include "perf/identity/code/elf_file.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

/// What the loader maps of a file. Notes (the build id) and the names of the dynamic linker, among
/// them the folder of a build, say nothing of the code; .bss is not in the file.
double loaded_bytes(const std::filesystem::path& program) {
  const std::string image = read_text(program);
  if (!image.starts_with("\x7f"
                         "ELF"))
    throw Error(program.string() +
                " is a script, not a program of machine code, and has no size to compare; leave "
                "--metric size out");
  const counters::ElfFile file(image, program.string());
  double bytes = 0;
  for (const counters::ElfSection& section : file.sections()) {
    const auto type = section.header.sh_type;
    if ((section.header.sh_flags & SHF_ALLOC) && type != SHT_NOTE && type != SHT_NOBITS &&
        section.name != ".dynstr")
      bytes += static_cast<double>(section.header.sh_size);
  }
  return bytes;
}

/// Throws `Error` for a unit that is none of size.
double from_bytes(const Metric& metric, double bytes) {
  const auto unit = bytes_in(metric.kind.unit);
  if (!unit)
    throw Error(fmt::format("{} is in bytes, not in {}; leave the unit out", metric.name,
                            metric.kind.unit));
  return bytes / *unit;
}

}  // namespace

RowId ThirdPartyProgram::benchmark_of(const RowId& row) const {
  const auto of = metrics_.find(row);
  return of == metrics_.end() || of->second.row.empty() ? row : of->second.row;
}

RowId ThirdPartyProgram::process_of(const RowId& row) const {
  const auto of = metrics_.find(row);
  return of != metrics_.end() && of->second.counted ? row : benchmark_of(row);
}

/// The rows with a metric that the run selects, or whose metric it selects; nothing where it
/// selects no row, which the run itself reports.
std::optional<std::vector<RowId>> ThirdPartyProgram::rows_to_ask(
    const std::vector<Metric>& named) const {
  Listing candidates = listing_;
  for (const RowId& row : listing_.rows)
    for (const Metric& metric : named) candidates.metrics[metric_row(row, metric.name)] = row;
  for (const Metric& metric : named)
    if (metric.name == size_metric)
      candidates.metrics[metric_row(program_.name, size_metric)] = RowId();
  std::set<RowId> with_metrics;
  for (const auto& [metric, row] : candidates.metrics) {
    if (!benchmarks_.contains(metric)) candidates.rows.push_back(metric);
    with_metrics.insert(row);
  }
  try {
    const Selection selection({candidates}, {.filter = program_.rows, .backend = ""});
    std::set<RowId> asked;
    for (const RowId& row : selection.rows()) {
      const auto of = candidates.metrics.find(row);
      asked.insert(of == candidates.metrics.end() ? row : of->second);
    }
    std::vector<RowId> rows;
    for (const RowId& row : listing_.rows)
      if (asked.contains(row) && with_metrics.contains(row)) rows.push_back(row);
    return rows;
  } catch (const Error&) {
    return std::nullopt;
  }
}

void ThirdPartyProgram::add_metric(const RowId& row, const Metric& metric, bool counted) {
  const RowId name = metric_row(row.empty() ? program_.name : row.text(), metric.name);
  if (benchmarks_.contains(name))
    throw Error(
        fmt::format("--metric {}: its row {} has the name of a benchmark of {}; leave it out",
                    metric.name, name, program_.program.string()));
  if (!metrics_.emplace(name, OfRow{row, metric, counted}).second) return;
  listing_.rows.push_back(name);
  listing_.metrics[name] = row;
}

/// The row's instructions or energy. Of a baseline, or of another revision, they are missing where
/// they cannot be counted.
void ThirdPartyProgram::count_in(const RowId& row, const Metric& metric) {
  const bool named = std::ranges::any_of(program_.metrics, [&](const std::string& text) {
    return read_metric(text, program_.direction).name == metric.name;
  });
  try {
    if (!is_energy_metric(metric.name))
      add_metric(row, counted_metric(row, metric), true);
    else if (can_have_energy(row, metric))
      add_metric(row, metric, true);
  } catch (const Error& error) {
    if (named && program_.require_metrics) throw;
    if (program_.say) program_.say(error.what());
  }
}

/// Those of the program's rows; of two that fit, the longer one: a name may have a "/".
void ThirdPartyProgram::list_stored_metrics() {
  for (const auto& [stored, kind] : program_.stored_metrics) {
    if (benchmarks_.contains(stored)) continue;  // compared with what is stored: changed
    if (stored == metric_row(program_.name, size_metric)) listing_.metrics[stored] = RowId();
    const std::string& name = stored.text();
    for (std::size_t end = name.rfind('/'); end != std::string::npos && end > 0;
         end = name.rfind('/', end - 1))
      if (const RowId row = name.substr(0, end); benchmarks_.contains(row)) {
        listing_.metrics[stored] = row;
        break;
      }
  }
}

/// A metric is gated where its row states it. One that is stored and that the row states no longer
/// is not listed as a row, and so is missing.
void ThirdPartyProgram::find_metrics() {
  list_stored_metrics();
  if (wants_no_metrics(program_.metrics)) return;
  const std::vector<Metric> named = read_metrics(program_.metrics, program_.direction);
  if (named.empty() && program_.stored_metrics.empty()) return;
  const auto rows = rows_to_ask(named);
  if (!rows) return;
  std::map<RowId, std::vector<RowId>> stored;
  for (const auto& [metric, row] : listing_.metrics) stored[row].push_back(metric);
  std::set<std::string> stated;
  std::string failed;
  if (program_.say && rows->size() > 1 && program_.require_metrics)  // of two builds, once
    program_.say(fmt::format("asking {} for their metrics", counted(rows->size(), "rows")));
  for (const RowId& row : *rows) {
    const ScratchFolder scratch;
    const Launched asked = launch(row, {.budget_s = shortest_s,
                                        .verified_file = {},
                                        .scratch = scratch.path() / "out.json",
                                        .cpu = {}});
    if (!asked.outcome.launch && !asked.outcome.skipped && failed.empty())
      failed = fmt::format("; {}: {}", row, asked.outcome.failure);
    if (!asked.outcome.launch) continue;
    std::set<std::string> of_row = metrics_in(asked.repetitions);
    stated.insert(of_row.begin(), of_row.end());
    of_row.insert(memory_metric);
    const auto add = [&](const Metric& metric) {
      if (of_row.contains(metric.name))
        add_metric(row, metric);
      else if (metric.name == instructions_metric || is_energy_metric(metric.name))
        count_in(row, metric);
    };
    for (const Metric& metric : named) add(metric);
    for (const RowId& metric : stored[row])
      add({metric.text().substr(row.text().size() + 1), program_.stored_metrics.at(metric)});
  }
  say_rows_without_energy();
  const auto is_size = [&](const Metric& metric) {
    return metric.name == size_metric && !stated.contains(size_metric);
  };
  if (const auto size = std::ranges::find_if(named, is_size); size != named.end()) {
    if (program_.require_metrics) loaded_bytes(program_.program);  // of a script there is none
    add_metric({}, *size);
  }
  for (const RowId& metric : stored[RowId()])
    add_metric({}, {size_metric, program_.stored_metrics.at(metric)});
  stated.insert(
      {memory_metric, size_metric, instructions_metric, energy_metric, device_energy_metric});
  const auto hint = [&](const std::string& metric) {
    return metric == device_memory_metric && !program_.device_time
               ? "; --device-time makes the rows of a Google Benchmark program state it"
               : "";
  };
  for (const Metric& metric : named)
    if (program_.require_metrics && !stated.contains(metric.name))
      throw Error(complaint_of_metric(metric.name, program_.program.string(), stated) +
                  hint(metric.name) + failed);
}

LaunchOutcome ThirdPartyProgram::size_of_program(const Metric& metric) const {
  const double start_s = seconds_now();
  LaunchOutcome outcome;
  try {
    const double bytes = loaded_bytes(program_.program);
    outcome.seconds = seconds_now() - start_s;
    Launch read;  // a launch has a time, which nothing is judged by
    read.real_ms = 1e3 * outcome.seconds;
    outcome.launch = metric_launch(read, metric, from_bytes(metric, bytes));
    if (check_.passed()) outcome.launch->counters[counter::verified] = 1;
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  outcome.basis = metric.kind.text();
  return outcome;
}

LaunchOutcome ThirdPartyProgram::outcome_of(const OfRow& of, const Launched& launched) const {
  LaunchOutcome outcome = launched.outcome;
  if (!outcome.launch) return outcome;  // for the same reason
  outcome.launch.reset();
  outcome.basis = of.metric.kind.text();
  outcome.clock_named = false;
  try {
    if (const auto stated = metric_of(launched.repetitions, of.metric)) {
      outcome.launch = median_launch(*stated);
      outcome.clock = stated->clock;
    } else if (of.metric.name == memory_metric) {
      outcome.launch = metric_launch(*launched.outcome.launch, of.metric,
                                     from_bytes(of.metric, 1e6 * peak_mb(launched.peak_bytes)));
      outcome.clock = Clock::unknown;
    } else {
      throw Error(fmt::format("it states no number for {}", of.metric.name));
    }
    outcome.launch->index = 0;
    const Launch& of_row = *launched.outcome.launch;
    if (const auto verified = of_row.counter(counter::verified))
      outcome.launch->counters[counter::verified] = *verified;
    if (const auto queued = of_row.counter(counter::queued); queued && !is_amount(of.metric.kind))
      outcome.launch->counters[counter::queued] = *queued;
  } catch (const Error& error) {
    outcome.launch.reset();
    outcome.failure = error.what();
  }
  return outcome;
}

std::map<RowId, LaunchOutcome> ThirdPartyProgram::measure_together(
    const std::vector<RowId>& rows, const LaunchRequest& request) const {
  std::map<RowId, Launched> launches;
  std::map<RowId, LaunchOutcome> outcomes;
  for (const RowId& row : rows) {
    const auto of = metrics_.find(row);
    if (of != metrics_.end() && of->second.row.empty()) {
      outcomes[row] = size_of_program(of->second.metric);
      continue;
    }
    if (of != metrics_.end() && of->second.counted) {
      outcomes[row] = count(of->second, request);
      continue;
    }
    const RowId benchmark = benchmark_of(row);
    auto launched = launches.find(benchmark);
    if (launched == launches.end())
      launched = launches.emplace(benchmark, launch(benchmark, request)).first;
    outcomes[row] =
        of == metrics_.end() ? launched->second.outcome : outcome_of(of->second, launched->second);
  }
  return outcomes;
}

}  // namespace ratchet::gate
