// Digests that are accepted by themselves.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "kernels/contract/counted.h"
#include "kernels/contract/row_filter.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/units.h"
#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using nlohmann::json;
using Digests = std::map<std::string, std::string>;

/// The selected rows whose digest differs, with the new digest.
Digests moved(const WorkRenewal& renewal, const std::vector<std::string>& patterns) {
  std::set<RowId> names, chosen;
  for (const auto& [row, now] : renewal.is)
    if (const auto was = renewal.was.find(row); was != renewal.was.end() && was->second != now)
      names.insert(row);
  for (const std::string& pattern : patterns) {
    std::set<RowId> selected = select_rows(names, pattern);
    if (selected.empty())
      throw Error(fmt::format(
          "\"{}\" matches no row whose digest differs between --work-was and --work-is", pattern));
    chosen.merge(selected);
  }
  Digests digests;
  for (const RowId& row : patterns.empty() ? names : chosen) digests[row] = renewal.is.at(row);
  return digests;
}

FileChange renewed(const StoredFile& file, const Digests& now, const WorkRenewal& renewal,
                   const AcceptRequest& request) {
  FileChange change{file.path, {}, file.content};
  json& ratchet = change.after.context["ratchet"];
  const json stored = ratchet.value("work", json::object());
  json entry = {{"date", request.date}, {"reason", request.reason}, {"revision", renewal.revision}};
  for (const auto& [name, row] : file.content.rows) {
    const auto digest = now.find(name);
    if (digest == now.end() || stored.value(name, json()) != renewal.was.at(name)) continue;
    ratchet["work"][name] = digest->second;
    entry["was"][name] = {{"work", renewal.was.at(name)}};
    change.rows.push_back({name, row, row, "has the new digest and keeps its figures"});
  }
  if (!change.rows.empty()) ratchet["history"] = history_with(file.content, entry, file.path);
  return change;
}

}  // namespace

Digests read_listed_work(const std::filesystem::path& file) {
  Digests digests;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const json entry = parse_json(line, file.string());
    if (!entry.is_object())
      throw Error(fmt::format("{} is not the output of `ratchet-bench --ratchet_list_work`",
                              file.string()));
    if (!entry.contains("row")) continue;
    const json row = entry["row"], work = entry.value("work", json());
    if (!row.is_string() || !work.is_string())
      throw Error(fmt::format(
          "{} holds no digest of {}; write it again with `ratchet-bench --ratchet_list_work`",
          file.string(), row.dump()));
    digests[row.get<std::string>()] = work.get<std::string>();
  }
  if (digests.empty())
    throw Error(fmt::format(
        "{} holds no row; write it again with `ratchet-bench --ratchet_list_work`", file.string()));
  return digests;
}

std::vector<FileChange> plan_renewal(const WorkRenewal& renewal, const AcceptRequest& request,
                                     const BaselineStore& store) {
  require_reason(request);
  const Digests now = moved(renewal, request.rows);
  std::vector<FileChange> changes;
  for (const StoredFile& file : store.files()) {
    FileChange change = renewed(file, now, renewal, request);
    if (!change.rows.empty()) changes.push_back(std::move(change));
  }
  if (changes.empty())
    throw Error(
        "nothing to write: no stored row has a digest that differs between --work-was and "
        "--work-is");
  return changes;
}

namespace {

constexpr double confidence = 0.95;

/// "113 k calls/s (± 0.8 %)": half of the interval; few launches have none.
std::string figure(const Row& row, const std::string& unit) {
  const std::vector<double> values = row.throughputs();
  const double middle = stats::median(values);
  const std::string rate = rate_text(middle, unit.empty() ? unit_of(row.name, row.basis) : unit);
  const auto interval = stats::quantile_interval(values, 0.5, confidence);
  if (!interval) return rate + " (no interval)";
  return fmt::format("{} (± {:.2g} %)", rate, 50 * (interval->high - interval->low) / middle);
}

std::string effect(const Row& stored, const Row& measured) {
  const auto [before, after] = on_one_clock(stored, measured);
  const std::vector<double> old = before.throughputs();
  const std::vector<double> now = after.throughputs();
  const std::string estimate = "throughput " + change_text(stats::ratio_estimate(old, now));
  const auto interval = stats::ratio_bounds(old, now, (1 - confidence) / 2);
  if (!interval) return estimate + " (too few launches for an interval)";
  const std::string low = change_text(interval->low);
  return fmt::format("{} ({} ... {})", estimate, low.substr(0, low.size() - 2),
                     change_text(interval->high));
}

std::string tolerance(const Row& row) {
  return row.tolerance ? fmt::format("{:g} %", *row.tolerance * 100) : "the default";
}

std::string limits(const Row& row) {
  return row.limits.empty() ? "none" : fmt::format("{}", fmt::join(row.limits, " and "));
}

/// A comparison with them has a wide interval, or none.
std::string too_few(const Row& row) {
  const std::vector<double> values = row.throughputs();
  const bool exact = figure_kind(row.basis) && std::ranges::count(values, values.front()) ==
                                                   static_cast<std::ptrdiff_t>(values.size());
  if (exact || stats::quantile_interval(values, 0.5, confidence)) return "";
  return ": too few for a narrow comparison; gate it with more time (--budget-s), and accept again";
}

bool same_launches(const Row& before, const Row& after) {
  return before.throughputs() == after.throughputs();
}

std::string change_line(const RowChange& change) {
  const std::string start = fmt::format("  {:<40} ", change.name);
  const std::string remark = change.remark.empty() ? "" : "; " + change.remark;
  if (!change.after)
    return fmt::format(
        "{}{} -> removed{}\n", start, figure(*change.before, change.unit),
        change.before->limits.empty() ? "" : ", and its limit " + limits(*change.before));
  if (!change.before)
    return fmt::format("{}new: {}, {}{}{}\n", start, figure(*change.after, change.unit),
                       counted(change.after->launches.size(), "launches"), too_few(*change.after),
                       remark);
  std::string line = start;
  if (!same_launches(*change.before, *change.after))
    line += fmt::format("{} -> {}, {}, launches {} -> {}", figure(*change.before, change.unit),
                        figure(*change.after, change.unit), effect(*change.before, *change.after),
                        change.before->launches.size(), change.after->launches.size());
  else
    line += figure(*change.before, change.unit) + " stays";
  if (change.before->tolerance != change.after->tolerance)
    line +=
        fmt::format(", tolerance {} -> {}", tolerance(*change.before), tolerance(*change.after));
  if (change.before->limits != change.after->limits)
    line += fmt::format(", limit {} -> {}", limits(*change.before), limits(*change.after));
  return line + remark + "\n";
}

}  // namespace

bool changes_nothing(const std::vector<FileChange>& changes) {
  return std::ranges::all_of(changes, [](const FileChange& change) {
    return std::ranges::all_of(change.rows, [](const RowChange& row) {
      return row.before && row.after && row.before->launches == row.after->launches &&
             row.before->tolerance == row.after->tolerance &&
             row.before->limits == row.after->limits;
    });
  });
}

nlohmann::json to_json(const std::vector<FileChange>& changes) {
  const auto with_bounds = [](const char* name, double value, const auto& bounds) {
    nlohmann::json figure = {{name, tidy_number(value)}};
    if (bounds)
      figure.update({{"low", tidy_number(bounds->low)}, {"high", tidy_number(bounds->high)}});
    return figure;
  };
  const auto side = [&](const std::optional<Row>& row) -> nlohmann::json {
    if (!row) return nullptr;
    const std::vector<double> values = row->throughputs();
    nlohmann::json figures = with_bounds("units_per_second", stats::median(values),
                                         stats::quantile_interval(values, 0.5, confidence));
    figures["launches"] = row->launches.size();
    if (row->tolerance) figures["tolerance"] = tidy_number(*row->tolerance);
    if (!row->limits.empty()) figures["limits"] = row->limits;
    return figures;
  };
  nlohmann::json files = nlohmann::json::array();
  for (const FileChange& change : changes) {
    nlohmann::json rows = nlohmann::json::array();
    for (const RowChange& each : change.rows) {
      nlohmann::json row = {{"row", printable(each.name)},
                            {"before", side(each.before)},
                            {"after", side(each.after)}};
      if (each.before && each.after && !same_launches(*each.before, *each.after)) {
        const auto [before, after] = on_one_clock(*each.before, *each.after);
        const auto old = before.throughputs(), now = after.throughputs();
        row["throughput"] = with_bounds("ratio", stats::ratio_estimate(old, now),
                                        stats::ratio_bounds(old, now, (1 - confidence) / 2));
      }
      if (!each.remark.empty()) row["remark"] = printable(each.remark);
      rows.push_back(std::move(row));
    }
    files.push_back({{"path", change.path.string()}, {"rows", rows}});
  }
  return files;
}

std::string slower_line(const Measurements& results, const std::vector<FileChange>& changes) {
  constexpr std::size_t most = 5;
  const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json rows = results.context.value("ratchet", none).value("rows", none);
  std::string names;
  std::size_t count = 0;
  for (const FileChange& change : changes)
    for (const RowChange& row : change.rows) {
      const auto entry = rows.find(row.name);
      if (entry == rows.end() || entry->value("verdict", "") != to_string(gate::Verdict::slower) ||
          !row.before || !row.after || same_launches(*row.before, *row.after))
        continue;
      if (count++ < most)
        names += (count > 1 ? "; " : "") + row.name + " " + effect(*row.before, *row.after);
    }
  if (count == 0) return "";
  if (count > most) names += fmt::format("; and {} more", count - most);
  return fmt::format(
      "slower in this run, and accepted like the others unless ROWS leave {} out: {}\n",
      count == 1 ? "it" : "them", names);
}

std::string describe(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    text += change.path.string() +
            " (medians of launches, and the median ratio of one launch to another, with 95 % "
            "intervals)\n";
    for (const RowChange& row : change.rows) text += change_line(row);
    if (change.same_day)
      text +=
          "  of the same day as the last occasion, and counted as part of it: a further occasion "
          "is another day\n";
  }
  return text;
}

}  // namespace ratchet
