#include "perf/output/page/row_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/clock.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/stats/quantile.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

using gate::Verdict;
using nlohmann::json;

void copy_texts(json& model, const Node& entry, const char* key, std::size_t most) {
  for (const Node& each : entry.list_or_empty(key))
    model[key].push_back(printable(each.text(), most));
}

void copy_number(json& model, const Node& entry, const char* key, int decimals) {
  if (entry.has(key)) model[key] = rounded(entry.at(key).number(), decimals);
}

/// The interval that decided: the simultaneous one; for "same", or without it, the per-comparison
/// one.
void add_interval(json& model, const Node& entry, Verdict verdict) {
  const bool simultaneous = entry.has("low") && entry.has("high");
  const bool per_comparison = entry.has("plain_low") && entry.has("plain_high");
  if (!simultaneous && !per_comparison) return;
  const bool alone = per_comparison && (verdict == Verdict::same || !simultaneous);
  model["low"] = rounded(entry.at(alone ? "plain_low" : "low").positive(), 6);
  model["high"] = rounded(entry.at(alone ? "plain_high" : "high").positive(), 6);
  model["interval"] = alone ? "per_comparison" : "simultaneous";
}

std::optional<double> median_of(const Row& row, const counter::Counter& key) {
  std::vector<double> values;
  for (const Launch& launch : row.launches)
    if (const auto value = launch.counter(key)) values.push_back(*value);
  if (values.empty()) return std::nullopt;
  return stats::median(values);
}

}  // namespace

double rounded(double value, int decimals) {
  const double scale = std::pow(10.0, decimals);
  return std::round(value * scale) / scale;
}

RowModel row_model(const RowId& name, const Node& entry) {
  RowModel row;
  row.verdict = gate::verdict_in(entry);
  json model = {{"name", printable(name.text(), 1024)},
                {"family", printable(name.family(), 200)},
                {"verdict", row.verdict}};
  row.identical_work = entry.has("identical_work") && entry.at("identical_work").truth();
  row.accepted = entry.has("accepted") && entry.at("accepted").at("holds").truth();
  for (const Node& limit : entry.list_or_empty("limits"))
    row.limits_exceeded += limit.at("state").text() == to_string(gate::AtLimit::State::exceeded);
  if (entry.has("slower_nodes")) row.slower_nodes = entry.at("slower_nodes").count();
  // The figures of identical work differ by the machine, not by the code, and those of a build
  // against itself are its noise: they are no change.
  const bool compared = row.verdict != Verdict::uncompared && !row.identical_work;
  if (entry.has("ratio") && compared) {
    row.ratio = entry.at("ratio").positive();
    model["ratio"] = rounded(*row.ratio, 6);
    add_interval(model, entry, row.verdict);
    row.seems_slower = row.verdict == Verdict::undecided && entry.has("plain_high") &&
                       entry.has("tolerance") &&
                       entry.at("plain_high").positive() < 1 - entry.at("tolerance").number();
    for (const char* figure : {"before", "call_before_ms", "call_ms"})
      if (entry.has(figure)) model[figure] = tidy_number(entry.at(figure).positive());
  }
  if (!row.identical_work) copy_number(model, entry, "detectable", 5);
  copy_number(model, entry, "tolerance", 6);
  model["unit"] = entry.has("unit") ? printable(entry.at("unit").text(), 40) : "units";
  if (entry.has("clock")) model["clock"] = printable(entry.at("clock").text(), 20);
  if (entry.has("reason")) model["reason"] = printable(entry.at("reason").text(), 400);
  if (entry.has("settles")) model["settles"] = printable(entry.at("settles").text(), 200);
  copy_texts(model, entry, "remarks", 400);
  copy_texts(model, entry, "reasons", 400);
  copy_texts(model, entry, "listing", 200);
  for (const char* flag : {"identical_work", "settled"})
    if (entry.has(flag) && entry.at(flag).truth()) model[flag] = true;
  if (entry.has("pair_s")) model["paired"] = true;
  row.model = std::move(model);
  return row;
}

namespace {

/// The median time of a call, milliseconds, by the clock of the row's model.
std::optional<double> call_ms_of(const json& model, const Row& row) {
  const Clock clock = clock_of(model.value("clock", "")).value_or(Clock::wall);
  std::vector<double> milliseconds;
  for (const Launch& launch : row.launches) milliseconds.push_back(call_ms(launch, clock));
  if (milliseconds.empty()) return std::nullopt;
  return stats::median(milliseconds);
}

}  // namespace

void add_conditions(json& model, const Row& measured, const Row* before) {
  if (!measured.basis.empty()) model["third_party"] = true;
  const auto add = [&](const char* figure, const Row& row) {  // as in results of older versions
    if (model.contains(figure)) return;
    if (const auto ms = call_ms_of(model, row)) model[figure] = tidy_number(*ms);
  };
  add("call_ms", measured);
  if (before) add("call_before_ms", *before);
  if (const auto share = median_of(measured, counter::limit_percent); share && *share > 0)
    model["limit_percent"] = rounded(*share, 1);
  if (const auto units = median_of(measured, counter::units)) model["units"] = tidy_number(*units);
}

void sort_worst_first(std::vector<RowModel>& rows) {
  const auto badness = [](const RowModel& row) {
    return std::tuple(row.verdict, row.ratio.value_or(1),
                      row.model.at("name").get_ref<const std::string&>());
  };
  std::sort(rows.begin(), rows.end(), [&](const RowModel& one, const RowModel& other) {
    return badness(one) < badness(other);
  });
}

json models_of(const std::vector<RowModel>& rows) {
  json list = json::array();
  for (const RowModel& row : rows) list.push_back(row.model);
  return list;
}

namespace {

using gate::Verdict;
using gate::VerdictCounts;
using nlohmann::json;

constexpr std::array faults = {Verdict::failed, Verdict::unverified, Verdict::missing,
                               Verdict::changed};

std::size_t faulty(const VerdictCounts& counts) {
  std::size_t rows = 0;
  for (const Verdict fault : faults) rows += counts[fault];
  return rows;
}

/// The exit code of `ratchet gate` without options.
ExitCode default_exit_code(const VerdictCounts& counts) {
  gate::Ending ending;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Verdict::unavailable); ++i)
    if (const auto verdict = static_cast<Verdict>(i); counts[verdict] > 0)
      ending.verdicts.insert(verdict);
  return gate::exit_code(ending, {});
}

/// Of the slower rows the one with the largest loss that is certain, not the noisiest.
const json& surest_loss(const std::vector<RowModel>& rows) {
  const auto sureness = [](const RowModel& row) {
    const bool bounded = row.model.contains("high");
    return std::tuple(row.verdict != Verdict::slower || row.accepted, !bounded,
                      row.model.value(bounded ? "high" : "ratio", 1.0));
  };
  return std::min_element(rows.begin(), rows.end(),
                          [&](const RowModel& one, const RowModel& other) {
                            return sureness(one) < sureness(other);
                          })
      ->model;
}

/// "graveler/cpu/05_wyrand lost 4.9 % of its throughput (4.4 to 5.3 %)"
std::string loss_text(const json& row) {
  const auto lost = [&](const char* key) { return 100 * (1 - row.value(key, 1.0)); };
  std::string text = fmt::format("{} lost {:.1f} % of its throughput",
                                 row.at("name").get<std::string>(), lost("ratio"));
  if (row.contains("low")) text += fmt::format(" ({:.1f} to {:.1f} %)", lost("high"), lost("low"));
  return text;
}

std::string regression_text(const std::vector<RowModel>& rows, std::size_t slower) {
  const std::string loss = loss_text(surest_loss(rows));
  if (slower == 1) return "1 row got slower: " + loss;
  return fmt::format("{} rows got slower, most certainly {}", slower, loss);
}

std::string limit_text(const std::vector<RowModel>& rows) {
  std::string names;
  std::size_t limits = 0;
  for (const RowModel& row : rows) {
    if (row.limits_exceeded == 0) continue;
    limits += row.limits_exceeded;
    names += (names.empty() ? "" : ", ") + row.model.at("name").get<std::string>();
  }
  return fmt::format("Nothing got slower, but {} {} exceeded, of {}", counted(limits, "limits"),
                     limits == 1 ? "is" : "are", printable(names, 200));
}

std::string failure_text(const VerdictCounts& counts) {
  std::string text;
  for (const Verdict fault : faults)
    if (counts[fault] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[fault], to_string(fault));
  return text;
}

/// `accepted`: a commit accepts rows, which another sentence names; empty where no other is left.
std::string pass_text(const VerdictCounts& counts, std::size_t identical, bool accepted) {
  const std::size_t same = counts[Verdict::same] + counts[Verdict::faster];
  if (same == 0 && counts[Verdict::uncompared] > 0)
    return fmt::format("Nothing was compared: {} measured, and no baseline of this machine yet",
                       counted(counts[Verdict::uncompared], "rows"));
  std::string text =
      same == 0 && accepted ? "" : fmt::format("Nothing got slower in {}", counted(same, "rows"));
  if (identical > 0) text += fmt::format(", {} of identical work", identical);
  if (const std::size_t faster = counts[Verdict::faster]; faster > 0)
    text += fmt::format(", {} faster", faster);
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : "; ", count, what);
  };
  add(counts[Verdict::undecided], "undecided");
  add(counts[Verdict::added], "new");
  add(counts[Verdict::uncompared], "not compared");
  return text;
}

std::string undecided_text(const VerdictCounts& counts, std::size_t rows, const RowModel* slower,
                           std::size_t seeming) {
  if (slower)
    return fmt::format("{} of {} stayed undecided, and {} {} {} slower", counts[Verdict::undecided],
                       counted(rows, "rows"), counted(slower->slower_nodes, "nodes"),
                       slower->slower_nodes == 1 ? "calls" : "call",
                       slower->model.at("name").get<std::string>());
  if (const std::size_t open = counts[Verdict::undecided]; open > 0)
    return fmt::format("Nothing is known to be slower, but {} of {} stayed undecided", open,
                       counted(rows, "rows")) +
           (seeming > 0
                ? fmt::format(", of which {} seem{} slower", seeming, seeming == 1 ? "s" : "")
                : "");
  if (const std::size_t added = counts[Verdict::added]; added > 0)
    return fmt::format("Nothing got slower, but {} {} new, which fails here",
                       counted(added, "rows"), added == 1 ? "is" : "are");
  if (counts[Verdict::uncompared] > 0) return "Nothing was compared, which fails here";
  return "Machine drift: the machine runs at another speed than stored, which fails here";
}

/// The sentence on the other rows, where a commit accepts that some are slower or changed.
std::string beside_accepted(std::size_t accepted, const char* verdict,
                            const std::string& sentence) {
  if (accepted == 0) return sentence;
  const std::string meant =
      fmt::format("{} {} {}, which a commit accepts", counted(accepted, "rows"),
                  accepted == 1 ? "is" : "are", verdict);
  if (sentence.empty()) return meant;
  constexpr std::string_view nothing = "Nothing ";
  const bool others = sentence.starts_with(nothing);
  return fmt::format("{}. {}", meant,
                     others ? "Nothing else " + sentence.substr(nothing.size()) : sentence);
}

}  // namespace

json verdict_of(const std::vector<RowModel>& rows, const Node& run) {
  VerdictCounts counts;
  std::size_t identical = 0, here = 0, accepted = 0, changed = 0, missing = 0;
  for (const RowModel& row : rows) {
    // One that is changed or missing and accepted is no fault.
    if (row.accepted && row.verdict != Verdict::slower) {
      ++(row.verdict == Verdict::missing ? missing : changed);
      ++here;
      continue;
    }
    counts.add(row.verdict);
    here += row.verdict != Verdict::unavailable;
    identical += row.identical_work;
    accepted += row.accepted;
  }
  const ExitCode code = run.has("exit_code") ? static_cast<ExitCode>(run.at("exit_code").count())
                                             : default_exit_code(counts);
  const auto made = [&](const char* state, const std::string& sentence) -> json {
    return {{"state", state},
            {"exit_code", static_cast<int>(code)},
            {"sentence",
             beside_accepted(accepted, "slower",
                             beside_accepted(changed, "changed",
                                             beside_accepted(missing, "missing", sentence))) +
                 "."}};
  };
  const std::size_t compared = counts[Verdict::same] + counts[Verdict::faster];
  if (run.has("interrupted"))
    return made(counts[Verdict::slower] > 0 ? "regression" : "undecided",
                fmt::format("The run was interrupted: {} of {} judged",
                            compared + counts[Verdict::slower], counted(here, "rows")));
  if (code == ExitCode::regression)
    return made("regression", counts[Verdict::slower] == accepted
                                  ? limit_text(rows)
                                  : regression_text(rows, counts[Verdict::slower] - accepted));
  if (code == ExitCode::failed)
    return made("failed", fmt::format("{} of {} cannot be judged: {}", faulty(counts),
                                      counted(here, "rows"), failure_text(counts)));
  // As the terminal's headline: what nodes call slower, or what seems so, is no pass, whatever else
  // is decided.
  const auto slower = std::max_element(
      rows.begin(), rows.end(),
      [](const RowModel& a, const RowModel& b) { return a.slower_nodes < b.slower_nodes; });
  const bool on_nodes = slower != rows.end() && slower->slower_nodes > 0;
  const auto seeming = static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const RowModel& row) { return row.seems_slower; }));
  if (code == ExitCode::undecided || on_nodes || seeming > 0 ||
      counts[Verdict::undecided] > compared)
    return made("undecided", undecided_text(counts, here, on_nodes ? &*slower : nullptr, seeming));
  if (code == ExitCode::nothing_ran) return made("nothing", "Nothing could run on this machine");
  return made(compared + accepted + changed > 0 ? "pass" : "nothing",
              pass_text(counts, identical, accepted + changed > 0));
}

}  // namespace ratchet::report
