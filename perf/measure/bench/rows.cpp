#include "perf/measure/bench/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "kernels/contract/row_filter.h"
#include "kernels/contract/survey_only.h"
#include "kernels/support/ranks/part.h"
#include "perf/identity/digests/work_digest.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"
#include "perf/support/suggestion.h"

namespace ratchet::bench {
namespace {

RowId row_id(const Stage& stage, const Parameters& parameters, const SettingTexts& refused,
             const std::string& input) {
  SettingTexts settings;
  for (std::size_t i = 0; i < parameters.all().size(); ++i) {
    const Parameter& now = parameters.all()[i];
    // The default of ranks depends on how this process was started; the name must not.
    const bool of_ranks = stage.info().backend == Backend::mpi && now.name == "ranks";
    const auto as_given = std::find_if(refused.rbegin(), refused.rend(),
                                       [&](const auto& each) { return each.first == now.name; });
    if (as_given != refused.rend())
      settings.push_back(*as_given);
    else if (now.value != (of_ranks ? 1 : stage.info().parameters[i].value))
      settings.emplace_back(now.name, std::to_string(now.value));
  }
  if (!input.empty())
    settings.emplace_back("input", std::filesystem::path(input).filename().string());
  return RowId(stage.info().name, settings);
}

/// Every combination of one value of each --ratchet_set: "a=1,2" and "b=3,4" give four.
std::vector<SettingTexts> choices(const Options& options) {
  std::vector<SettingTexts> all{{}};
  for (const auto& [name, values] : options.set) {
    std::vector<SettingTexts> longer;
    for (const SettingTexts& before : all)
      for (std::size_t from = 0; from <= values.size();) {
        const std::size_t comma = std::min(values.find(',', from), values.size());
        longer.push_back(before);
        longer.back().emplace_back(name, values.substr(from, comma - from));
        from = comma + 1;
      }
    all = std::move(longer);
  }
  return all;
}

/// A row, or why the stage rejects a value of the command line. The reason is an error only if the
/// filter selects the row.
struct AskedRow {
  StageRow row;
  std::string refusal;
};

AskedRow asked_row(const Stage& stage, const ParameterPoint& point, const SettingTexts& assignments,
                   const std::string& input) {
  AskedRow asked{{&stage, stage.defaults(), {}}, {}};
  Parameters& parameters = asked.row.parameters;
  parameters.set(point);
  SettingTexts refused;
  for (const auto& [name, value] : assignments) {
    if (!parameters.has(name)) continue;
    try {
      parameters.set(name, value);
    } catch (const Error& error) {
      refused.emplace_back(name, value);
      asked.refusal = error.what();
    }
  }
  asked.row.name = row_id(stage, parameters, refused, input);
  return asked;
}

/// The configurations of a stage (its defaults and sweep, or its survey, which has the defaults of
/// SurveyOnly stages) with the parameters of the command line.
std::vector<AskedRow> points(const Stage& stage, const Options& options) {
  std::vector<ParameterPoint> all = options.survey ? stage.info().survey : stage.info().sweep;
  const bool survey_only = SurveyOnly::is(stage.info().name);
  const bool of_defaults = options.survey ? survey_only : !survey_only || !options.set.empty();
  if (of_defaults) all.insert(all.begin(), ParameterPoint{});
  std::vector<AskedRow> rows;
  for (const ParameterPoint& point : all)
    for (const SettingTexts& assignments : choices(options)) {
      AskedRow asked = asked_row(stage, point, assignments, options.input);
      bool seen = false;  // equal to the defaults, or made equal by the command line
      for (const AskedRow& before : rows) seen = seen || before.row.name == asked.row.name;
      if (!seen) rows.push_back(std::move(asked));
    }
  return rows;
}

/// Throws `Error` if a selected row rejects a value of the command line.
std::vector<StageRow> accepted(std::vector<AskedRow> asked) {
  std::vector<StageRow> rows;
  for (AskedRow& each : asked) {
    if (!each.refusal.empty()) throw Error(each.refusal);
    rows.push_back(std::move(each.row));
  }
  return rows;
}

/// Whether a row needs more ranks than this process has; the gate starts another process for it.
void take_startable(std::vector<StageRow> rows, const Options& options, Selection& selection) {
  const bool listed = options.list || options.list_work || options.list_interleaved;
  for (StageRow& row : rows) {
    const std::uint64_t ranks = ranks::ranks_of(row.parameters);
    const Availability enough = ranks::enough_ranks(ranks);
    const Availability gpus =
        ranks::takes_gpus(*row.stage) ? ranks::enough_gpus(ranks) : Availability::yes();
    if (!gpus.ok)
      selection.unavailable.push_back(row.name.text() + ": " + gpus.reason);
    else if (!enough.ok && !listed)
      selection.unavailable.push_back(row.name.text() + ": " + enough.reason);
    else
      selection.rows.push_back(std::move(row));
  }
}

void require_known_parameters(const std::vector<const Stage*>& stages, const Options& options) {
  for (const auto& [name, value] : options.set) {
    bool known = false;
    for (const Stage* stage : stages) known = known || stage->defaults().has(name);
    if (!known)
      throw Error("--ratchet_set=" + name + "=" + value + ": no stage selected has a parameter '" +
                  name + "'");
  }
}

}  // namespace

Selection select_rows(const Options& options) {
  std::set<std::string> names;
  std::vector<std::vector<AskedRow>> rows_of;  // by stage, as in the registry
  for (const Stage* stage : registry()) {
    rows_of.push_back(points(*stage, options));
    for (const AskedRow& asked : rows_of.back()) names.insert(asked.row.name);
  }
  const RowFilter wanted(options.filter, names);
  Selection selection;
  std::vector<const Stage*> stages;
  for (std::vector<AskedRow>& of_stage : rows_of) {
    std::erase_if(of_stage, [&](const AskedRow& asked) { return !wanted.selects(asked.row.name); });
    if (of_stage.empty()) continue;
    std::vector<StageRow> rows = accepted(std::move(of_stage));
    const Stage* stage = rows.front().stage;
    stages.push_back(stage);
    const Availability available = stage->availability();
    if (!available.ok)
      selection.unavailable.push_back(stage->info().name + ": " + available.reason);
    if (available.ok) take_startable(std::move(rows), options, selection);
  }
  if (stages.empty())
    throw Error(registry().empty()
                    ? "this build has no stages"
                    : "no row matches '" + options.filter + "'; --benchmark_list_tests shows all" +
                          did_you_mean_row(options.filter, names));
  require_known_parameters(stages, options);
  return selection;
}

std::map<RowId, explain::RowWork> work_of(const Selection& selection, const Options& options) {
  std::map<RowId, explain::RowWork> work;
  if (options.slowdown) return work;
  const auto stages = counters::read_work_manifest(own_executable());
  const std::string input = options.input.empty() ? "" : sha1(read_text(options.input));
  for (const StageRow& row : selection.rows) {
    const auto code = stages.find(row.stage->info().name);
    if (code == stages.end()) continue;
    explain::RowWork& of = work[row.name];
    of.code = code->second;
    of.input = input;
    std::string text = code->second + " " + input;
    for (const Parameter& parameter : row.parameters.all()) {
      text += fmt::format("\n{}={}", parameter.name, parameter.value);
      of.parameters[parameter.name] = std::to_string(parameter.value);
    }
    of.digest = sha1(text);
  }
  return work;
}

}  // namespace ratchet::bench
