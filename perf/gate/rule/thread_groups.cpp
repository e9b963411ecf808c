#include "perf/gate/rule/thread_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "perf/stats/nodes.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {
namespace {

/// "threads:8", as stages and Google Benchmark both write it.
bool is_number_of_threads(std::string_view part) {
  constexpr std::string_view word = "threads:";
  return part.starts_with(word) && part.size() > word.size() &&
         part.find_first_not_of("0123456789", word.size()) == std::string_view::npos;
}

/// The name of a row, of whatever program, without its number of threads.
std::string without_threads(const RowId& row) {
  std::string name;
  const std::string_view text = row.text();
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (!is_number_of_threads(part)) name.append(begin > 0 ? "/" : "").append(part);
    begin = end + 1;
  }
  return name;
}

bool is_member(const RowReport& report) {
  return report.paired && report.by_launches && !report.identical_work &&
         report.by_launches->ratio > 0 && std::isfinite(report.by_launches->ratio) &&
         (report.verdict == Verdict::same || report.verdict == Verdict::undecided ||
          is_moved(report.verdict));
}

}  // namespace

std::vector<ThreadGroup> thread_groups(const std::vector<RowReport>& reports) {
  std::map<std::string, std::map<RowId, const RowReport*>> families;
  for (const RowReport& report : reports)
    if (is_member(report)) families[without_threads(report.name)][report.name] = &report;
  std::vector<ThreadGroup> groups;
  for (const auto& [name, members] : families) {
    ThreadGroup group{name, {}, 0, 1, {}};
    std::vector<double> logs;
    for (const auto& [row, report] : members) {
      group.rows.push_back(row);
      group.undecided += report->verdict == Verdict::undecided;
      logs.push_back(std::log(report->by_launches->ratio));
    }
    if (group.undecided == 0) continue;
    const stats::NodesSay typical = of_nodes(logs, stats::Reference::own, stats::kSameError);
    if (!typical.bounds) continue;  // too few rows
    group.ratio = typical.ratio;
    group.bounds = *typical.bounds;
    groups.push_back(group);
  }
  return groups;
}

}  // namespace ratchet::gate
