#include "perf/gate/fleet/fleet_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernels/contract/counted.h"
#include "perf/stats/paired.h"
#include "perf/stats/sequential.h"

namespace ratchet::gate {
namespace {

/// One row on all nodes.
struct RowOfNodes {
  RowId name;
  std::map<std::string, const NodeRow*> all;     ///< by node
  std::map<std::string, const NodeRow*> judged;  ///< those that compared it
  double tolerance = 0;

  bool identical() const {
    return !judged.empty() && std::all_of(judged.begin(), judged.end(), [](const auto& node) {
      return node.second->identical_work;
    });
  }
  bool paired() const {
    return std::all_of(judged.begin(), judged.end(),
                       [](const auto& node) { return node.second->paired; });
  }
};

bool compared(const NodeRow& row) {
  return row.ratio && (is_moved(row.verdict) || row.verdict == Verdict::same ||
                       row.verdict == Verdict::undecided);
}

/// What most nodes have; of equally many the least.
template <class Value>
Value of_most(const std::vector<Value>& values) {
  std::map<Value, std::size_t> counts;
  for (const Value& value : values) ++counts[value];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

/// Where nodes differ in how they judged: "node e: Lcg by wall time, others by cpu time", by
/// node and kind, with the rows that it is true of.
using Apart = std::map<std::pair<std::string, std::string>, std::vector<RowId>>;

/// Takes a node out of a row that it judged by another clock than most, and takes the tolerance of
/// most.
void settle_judging(RowOfNodes& row, Apart& apart) {
  std::vector<std::string> clocks;
  for (const auto& [node, found] : row.judged)
    if (found->clock) clocks.push_back(to_string(*found->clock));
  if (!clocks.empty()) {
    const std::string clock = of_most(clocks);
    std::erase_if(row.judged, [&](const auto& each) {
      const auto& [node, found] = each;
      if (!found->clock || to_string(*found->clock) == clock) return false;
      apart[{node, fmt::format("by {} time, others by {} time: not counted there",
                               to_string(*found->clock), clock)}]
          .push_back(row.name);
      return true;
    });
  }
  std::vector<double> stated;
  for (const auto& [node, found] : row.judged)
    if (found->tolerance > 0) stated.push_back(found->tolerance);
  if (stated.empty()) return;
  row.tolerance = of_most(stated);
  for (const auto& [node, found] : row.judged)
    if (found->tolerance > 0 && found->tolerance != row.tolerance)
      apart[{node, fmt::format("with a tolerance of {:g} %, others {:g} %, which counts",
                               100 * found->tolerance, 100 * row.tolerance)}]
          .push_back(row.name);
}

std::vector<RowOfNodes> rows_of(const std::vector<FleetNode>& nodes,
                                const std::map<RowId, double>& tolerances, Apart& apart) {
  std::map<RowId, RowOfNodes> rows;
  for (const FleetNode& node : nodes) {
    if (!node.lost.empty()) continue;
    for (const auto& [name, found] : node.rows) {
      RowOfNodes& row = rows[name];
      row.name = name;
      row.all[node.name] = &found;
      if (compared(found) || found.identical_work) row.judged[node.name] = &found;
    }
  }
  std::vector<RowOfNodes> list;
  for (auto& [name, row] : rows) {
    settle_judging(row, apart);
    if (const auto stated = tolerances.find(name); stated != tolerances.end())
      row.tolerance = stated->second;
    list.push_back(std::move(row));
  }
  return list;
}

/// The verdict of a row that failed on some node, or that no node compared; nothing for other rows.
std::optional<Facts::Obstacle> without_figures(const RowOfNodes& row) {
  std::map<Verdict, std::vector<std::string>> nodes;  // worst first
  for (const auto& [node, found] : row.all) nodes[found->verdict].push_back(node);
  for (const Verdict verdict :
       {Verdict::failed, Verdict::unverified, Verdict::missing, Verdict::changed, Verdict::added}) {
    const auto at = nodes.find(verdict);
    if (at == nodes.end()) continue;
    const std::string& first = at->second.front();
    return Facts::Obstacle{verdict,
                           OnNode{first, at->second.size() - 1, row.all.at(first)->reason}};
  }
  if (!row.judged.empty()) return std::nullopt;
  const Verdict verdict = nodes.begin()->first;  // uncompared before unavailable
  return Facts::Obstacle{verdict, row.all.begin()->second->reason};
}

/// Over the nodes that have this figure; 0 if none has.
double median_of(const RowOfNodes& row, double NodeRow::*figure) {
  std::vector<double> figures;
  for (const auto& [node, found] : row.judged)
    if (found->*figure > 0) figures.push_back(found->*figure);
  return figures.empty() ? 0 : stats::median(figures);
}

/// The figures of a row over all nodes.
Facts node_facts(const RowOfNodes& row) {
  Facts facts;
  facts.name = row.name;
  facts.obstacle = without_figures(row);
  if (facts.obstacle) return facts;
  for (const auto& [node, found] : row.judged) {
    facts.launches += found->launches;
    facts.baseline_launches += found->baseline_launches;
  }
  facts.before = {median_of(row, &NodeRow::before), median_of(row, &NodeRow::call_before_s)};
  facts.now = {median_of(row, &NodeRow::throughput), median_of(row, &NodeRow::call_s)};
  const auto clock = row.judged.begin()->second->clock;
  if (clock && std::all_of(row.judged.begin(), row.judged.end(),
                           [&](const auto& node) { return node.second->clock == clock; }))
    facts.clock = *clock;
  facts.basis = row.judged.begin()->second->basis;
  facts.unit = row.judged.begin()->second->unit;
  facts.tolerance = row.tolerance;
  facts.work = row.judged.begin()->second->work;
  facts.same_work = row.identical();
  facts.paired = row.paired() && !facts.same_work;
  return facts;
}

std::vector<double> logs_of(const RowOfNodes& row) {
  std::vector<double> logs;
  for (const auto& [node, found] : row.judged)
    if (found->ratio) logs.push_back(std::log(*found->ratio));
  return logs;
}

std::size_t nodes_that_say(const RowOfNodes& row, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(row.judged.begin(), row.judged.end(),
                    [&](const auto& node) { return node.second->verdict == verdict; }));
}

/// 36: all nodes share the stored side, and the scatter of nodes does not include the shift since
/// its occasion. Each node's own verdict does (28).
void demand_own_verdicts(const RowOfNodes& row, Judgement& made) {
  if (made.verdict != Verdict::slower && made.verdict != Verdict::faster) return;
  const std::size_t agree = nodes_that_say(row, made.verdict);
  if (2 * agree > row.judged.size()) return;
  made.reason = FewNodesAgree{made.verdict, agree, row.judged.size()};
  made.verdict = Verdict::undecided;
}

Judgement judge(const RowOfNodes& row, const Facts& facts, std::size_t asked,
                const stats::Analysis& analysis) {
  if (facts.obstacle || facts.same_work) {  // 39, 37
    Judgement made = gate::judge(facts);
    if (facts.same_work) made.remarks.push_back(OverNodes{row.judged.size()});
    return made;
  }
  const std::vector<double> logs = logs_of(row);
  Judgement made;
  made.remarks.push_back(OverNodes{row.judged.size()});
  made.decision = decide_nodes(  // 35
      logs, facts.paired ? stats::Reference::own : stats::Reference::shared, row.tolerance,
      analysis);
  made.verdict = made.decision->verdict;
  made.reason = made.decision->reason;
  if (logs.size() < stats::kLeastNodes || 2 * logs.size() <= asked) {  // 41
    made.verdict = Verdict::undecided;
    made.reason = FewNodes{logs.size(), asked};
  }
  if (!facts.paired) demand_own_verdicts(row, made);
  if (made.verdict == Verdict::undecided)
    made.remarks = {OverNodes{row.judged.size(), nodes_that_say(row, Verdict::slower)}};
  return made;
}

/// The median ratio of all nodes; nothing for two nodes, either of which may be the odd one.
std::optional<double> median_of_nodes(const RowOfNodes& row) {
  std::vector<double> ratios;
  for (const auto& [name, found] : row.judged)
    if (found->ratio) ratios.push_back(*found->ratio);
  return ratios.size() < 3 ? std::nullopt : std::optional(stats::median(ratios));
}

/// An odd node by one row: its whole interval lies beyond the tolerance around the nodes' median.
std::optional<OddNode> odd_in(const RowOfNodes& row, const std::string& node) {
  const NodeRow& here = *row.judged.at(node);
  const auto typical = median_of_nodes(row);
  if (!typical || !here.ratio || !here.interval) return std::nullopt;
  const bool slower = here.interval->high < *typical * (1 - row.tolerance);
  if (!slower && here.interval->low <= *typical * (1 + row.tolerance)) return std::nullopt;
  return OddNode{row.name, *here.ratio, *typical, slower};
}

/// An odd node by its rows of identical work, one figure for each row: their interval lies beyond
/// the largest of their tolerances.
std::optional<OddNode> odd_machine(const std::vector<RowOfNodes>& rows, const std::string& node,
                                   double error) {
  std::vector<double> relative;
  double tolerance = 0;
  for (const RowOfNodes& row : rows) {
    const auto here = row.judged.find(node);
    if (!row.identical() || here == row.judged.end() || !here->second->ratio) continue;
    const auto typical = median_of_nodes(row);
    if (!typical) continue;
    relative.push_back(std::log(*here->second->ratio / *typical));
    tolerance = std::max(tolerance, row.tolerance);
  }
  if (relative.empty()) return std::nullopt;
  const auto bounds = stats::paired_bounds(relative, error);
  if (!bounds) return std::nullopt;
  const bool slower = bounds->high < 1 - tolerance;
  if (!slower && bounds->low <= 1 + tolerance) return std::nullopt;
  return OddNode{"", stats::paired_estimate(relative), 1, slower};
}

}  // namespace

FleetVerdict judge_fleet(const std::vector<FleetNode>& nodes, std::size_t asked,
                         const std::map<RowId, double>& tolerances) {
  Apart apart;
  const std::vector<RowOfNodes> rows = rows_of(nodes, tolerances, apart);
  const auto claims =
      static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const RowOfNodes& row) {
        return !without_figures(row) && !row.identical();
      }));
  const stats::Analysis analysis = {0, stats::error_per_claim(stats::kFalseAlarms, claims),
                                    stats::kSameError};
  FleetVerdict verdict;
  for (const auto& [what, those] : apart)
    verdict.notes.push_back(fmt::format("node {} judged {} {}", what.first,
                                        first_of(those.front().text(), those.size()), what.second));
  for (const RowOfNodes& row : rows) {
    const Facts facts = node_facts(row);
    verdict.reports.push_back({facts, judge(row, facts, asked, analysis)});
  }
  // All nodes judged the same commits; one without the repository knows no trailers.
  for (const FleetNode& node : nodes) {
    if (!node.lost.empty() || node.overrides.empty()) continue;
    apply_overrides(verdict.reports, node.overrides);
    break;
  }
  sort_worst_first(verdict.reports);
  const double named_wrongly = stats::error_per_claim(stats::kFalseAlarms, nodes.size());
  for (const FleetNode& node : nodes) {
    std::vector<OddNode> odd;
    if (const auto machine = odd_machine(rows, node.name, named_wrongly)) odd.push_back(*machine);
    for (const RowOfNodes& row : rows)
      if (row.judged.count(node.name) && !row.identical())
        if (const auto found = odd_in(row, node.name)) odd.push_back(*found);
    if (!odd.empty()) verdict.odd[node.name] = odd;
  }
  return verdict;
}

}  // namespace ratchet::gate
