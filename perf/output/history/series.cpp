#include "perf/output/history/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/contract/counted.h"
#include "kernels/contract/row_filter.h"
#include "perf/gate/baseline/figure.h"
#include "perf/stats/change_points.h"
#include "perf/support/error.h"
#include "perf/support/suggestion.h"

namespace ratchet::history {
namespace {

std::set<std::string> wanted_names(const std::vector<SeriesSummary>& all,
                                   const std::vector<std::string>& patterns) {
  std::set<std::string> names;
  for (const SeriesSummary& series : all) names.insert(series.name);
  std::set<std::string> wanted;
  for (const std::string& pattern : patterns) {
    const std::set<std::string> selected = select_rows(names, pattern);
    if (selected.empty())
      throw Error(fmt::format("\"{}\" matches no row of the history; leave it out to list all{}",
                              pattern, did_you_mean_row(pattern, names)));
    wanted.insert(selected.begin(), selected.end());
  }
  return wanted;
}

void refuse_several(const std::vector<SeriesSummary>& selected) {
  std::map<std::string, std::vector<const SeriesSummary*>> by_name;
  for (const SeriesSummary& series : selected) by_name[series.name].push_back(&series);
  for (const auto& [name, group] : by_name) {
    if (group.size() == 1) continue;
    std::string list;
    for (const SeriesSummary* series : group)
      list += fmt::format("{}{} {} ({}, last {})", list.empty() ? "" : ", ", series->machine,
                          series->fingerprint_hash.substr(0, 8), counted(series->runs, "runs"),
                          series->last_time.substr(0, 10));
    throw Error(
        fmt::format("{} was measured under {} fingerprints, which are never mixed: {}; "
                    "choose with --machine NAME or --machine FINGERPRINT",
                    name, group.size(), list));
  }
}

/// Whether both runs are known to execute the same code for the row. "Identical work" is that of a
/// run and its own base, which need not be the run before it in the series.
bool execute_the_same(const Point& before, const Point& now) {
  if (!now.work.empty() && now.work == before.work) return true;
  const bool as_built = !before.revision.ends_with("-dirty") && before.revision != "unknown";
  return now.reason.starts_with("identical work") && now.mode == "base" && as_built &&
         !now.against.empty() && now.against == before.commit;
}

}  // namespace

std::vector<Change> find_changes(const std::vector<Point>& points, double false_alarms) {
  std::vector<Change> changes;
  std::vector<double> figures;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].throughput) continue;
    figures.push_back(*points[i].throughput);
    places.push_back(i);
  }
  for (const auto& found : stats::change_points(figures, false_alarms)) {
    const std::size_t at = places.at(found.index);
    const Point& before = points[places.at(found.index - 1)];
    changes.push_back(
        {at, found.before, found.after, found.p_value, execute_the_same(before, points[at])});
  }
  return changes;
}

std::vector<Series> by_clock(const SeriesSummary& summary, const std::vector<Point>& points,
                             double false_alarms) {
  std::set<std::string> clocks;
  for (const Point& point : points)
    if (point.throughput) clocks.insert(point.clock);
  if (clocks.size() == 2) clocks.erase("");
  if (clocks.empty()) clocks.insert("");
  std::vector<Series> all;
  for (const std::string& clock : clocks) {
    Series& series = all.emplace_back(Series{summary, clock, points, {}});
    std::erase_if(series.points, [&](const Point& point) {
      const bool joins = point.clock.empty() && !clocks.contains("");
      return point.throughput && point.clock != clock && !joins;
    });
    series.changes = find_changes(series.points, false_alarms);
  }
  return all;
}

std::string clock_text(const Series& series) {
  if (series.clock.empty() && figure_kind(series.summary.unit)) return "";
  static const std::map<std::string, std::string> words = {{"", "a clock that is not recorded"},
                                                           {"cpu", "CPU time"},
                                                           {"gpu", "GPU time"},
                                                           {"manual", "the program's own time"},
                                                           {"wall", "wall time"}};
  const auto known = words.find(series.clock);
  const std::string text = known == words.end() ? series.clock : known->second;
  const auto joined =
      std::count_if(series.points.begin(), series.points.end(),
                    [](const Point& point) { return point.throughput && point.clock.empty(); });
  if (joined == 0 || series.clock.empty()) return text;
  return fmt::format("{} (of {} the clock is not recorded)", text, counted(joined, "runs"));
}

std::vector<SeriesSummary> of_machine(std::vector<SeriesSummary> all, const std::string& machine) {
  std::erase_if(all, [&](const SeriesSummary& series) {
    return series.machine != machine && !series.fingerprint_hash.starts_with(machine);
  });
  if (all.empty() && !machine.empty())
    throw Error(
        fmt::format("the history has no such row of the machine \"{}\"; `ratchet history` "
                    "lists rows and machines",
                    machine));
  return all;
}

std::vector<SeriesSummary> select_series(const std::vector<SeriesSummary>& all,
                                         const std::vector<std::string>& patterns,
                                         const std::string& machine) {
  const std::set<std::string> names = wanted_names(all, patterns);
  std::vector<SeriesSummary> selected = all;
  std::erase_if(selected, [&](const auto& series) { return !names.contains(series.name); });
  selected = of_machine(std::move(selected), machine);
  refuse_several(selected);
  return selected;
}

}  // namespace ratchet::history
