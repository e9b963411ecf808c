#include "perf/gate/programs/compare_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "kernels/contract/counted.h"
#include "perf/gate/rule/facts.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

std::optional<std::string> failure_in(const MeasuredSide& side, const RowId& name) {
  const auto found = side.failures.find(name);
  if (found == side.failures.end()) return std::nullopt;
  return side.name + ": " + found->second;
}

bool failed(const MeasuredSide& side, const RowId& name) { return side.failures.count(name) > 0; }
bool has(const MeasuredSide& side, const RowId& name) {
  return side.measured.rows.count(name) || failed(side, name);
}

/// Why the two rows cannot be held against each other, if they cannot.
std::optional<std::string> change_between(const MeasuredSide& a, const MeasuredSide& b,
                                          const RowId& name) {
  const auto [of_a, of_b] = on_one_clock(a.measured.rows.at(name), b.measured.rows.at(name));
  const std::string basis_a = basis_text(of_a.basis), basis_b = basis_text(of_b.basis);
  if (basis_a != basis_b) return fmt::format("throughput is {} in A, {} in B", basis_a, basis_b);
  const std::string clock_a = to_string(of_a.clock), clock_b = to_string(of_b.clock);
  if (!clock_a.empty() && !clock_b.empty() && clock_a != clock_b)
    return fmt::format("throughput is by {} time in A, by {} time in B", clock_a, clock_b);
  const double before = of_a.units();
  const double after = of_b.units();
  if (before > 0 && after > 0 && before != after)
    return fmt::format("the work of one call is {:.6g} in A, {:.6g} in B", before, after);
  if (of_a.cold() != of_b.cold())
    return fmt::format("samples begin with a {} L2 cache in A, with a {} one in B",
                       of_a.cold() ? "cold" : "warm", of_b.cold() ? "cold" : "warm");
  return std::nullopt;
}

/// Launches are compared; a single one on a side gives no estimate of the noise.
Decision single_launch(const Row& a, const Row& b, const char* side) {
  Decision decision;
  decision.ratio = stats::median(b.throughputs()) / stats::median(a.throughputs());
  decision.detectable = std::numeric_limits<double>::infinity();
  decision.reason = fmt::format(
      "only one launch in {}: the noise between launches is unknown; measure several", side);
  return decision;
}

/// Which side lacks launches for an interval; nothing where there are enough.
std::optional<std::string> short_side(std::size_t a, std::size_t b,
                                      const stats::Analysis& analysis) {
  constexpr std::size_t most = 100;  // more is no advice
  const double alpha = 2 * analysis.simultaneous_error;
  const auto [fewer, more] = std::minmax(a, b);
  const std::size_t least = stats::least_launches(more, alpha);
  if (least > 0 && fewer >= least) return std::nullopt;
  if (fewer < more && least > 0 && least <= most)
    return fmt::format("{} has {}, too few: at least {} are needed next to {}'s {}",
                       a < b ? "A" : "B", counted(fewer, "launches"), least, a < b ? "B" : "A",
                       more);
  std::size_t each = more + 1;
  while (stats::least_launches(each, alpha) - 1 >= each) ++each;  // 0 where none are enough
  return fmt::format("A has {} and B has {}, too few: at least {} on each side are needed",
                     counted(a, "launches"), b, each);
}

Decision judge_rows(const Row& a, const Row& b, double tolerance, const stats::Analysis& analysis) {
  const bool few_a = a.launches.size() < 2;
  const bool few_b = b.launches.size() < 2;
  if (few_a || few_b) return single_launch(a, b, few_a && few_b ? "A and in B" : few_a ? "A" : "B");
  Decision decision = decide_stored(a.throughputs(), b.throughputs(), tolerance, analysis);
  if (decision.verdict == Verdict::undecided && !decision.simultaneous)
    if (const auto lacking = short_side(a.launches.size(), b.launches.size(), analysis))
      decision.reason = *lacking;
  return decision;
}

/// The verdict of a row that cannot be compared; nothing for one that can.
std::optional<std::pair<Verdict, std::string>> obstacle(const MeasuredSide& a,
                                                        const MeasuredSide& b, const RowId& name) {
  const bool skips_a = a.skipped.count(name), skips_b = b.skipped.count(name);
  if (skips_b && (skips_a || !has(a, name)))
    return {{Verdict::unavailable, "skipped: " + b.failures.at(name)}};
  if (skips_a && has(b, name) && !failed(b, name))
    return {{Verdict::added, "in B, skipped in A: " + a.failures.at(name)}};
  if (failed(a, name) && !skips_a) return {{Verdict::failed, *failure_in(a, name)}};
  if (skips_b) return {{Verdict::missing, "in A, skipped in B: " + b.failures.at(name)}};
  if (failed(b, name)) return {{Verdict::failed, *failure_in(b, name)}};
  if (!has(b, name) && skips_a) return {{Verdict::unavailable, "skipped in A, not in B"}};
  if (!has(b, name)) return {{Verdict::missing, "in A, not in B"}};
  if (!has(a, name)) return {{Verdict::added, "in B, not in A"}};
  for (const MeasuredSide* side : {&a, &b})
    if (const auto found = side->absent.find(name); found != side->absent.end())
      return {{Verdict::missing, side->name + ": " + found->second}};
  for (const MeasuredSide* side : {&a, &b}) {
    if (side->unverified.count(name))
      return {{Verdict::unverified, side->name + ": its counter \"verified\" is not 1"}};
  }
  if (const auto change = change_between(a, b, name)) return {{Verdict::changed, *change}};
  return std::nullopt;
}

/// Runs merged into one file by hand look like benchmarks of one name.
std::optional<Namesakes> namesakes(const RowId& name, const MeasuredSide& a,
                                   const MeasuredSide& b) {
  const std::string first = name.text().substr(0, name.text().rfind('#'));
  for (const MeasuredSide* side : {&a, &b}) {
    std::size_t count = 1;
    constexpr std::size_t enough = 100;
    while (count < enough && side->measured.rows.count(fmt::format("{}#{}", first, count + 1)))
      ++count;
    if (count < 2) continue;
    return Namesakes{side->name, count};
  }
  return std::nullopt;
}

/// The digest of what a row executed, as results of the gate and baselines state it; empty where
/// the side has none, or is of several files, which may be of several builds.
std::string work_in(const MeasuredSide& side, const RowId& name) {
  const auto text_at = [&](std::initializer_list<std::string> path) -> std::string {
    const nlohmann::json* at = &side.measured.context;  // no copy, which would be one for each row
    for (const std::string& key : path) {
      if (!at->is_object() || !at->contains(key)) return "";
      at = &at->at(key);
    }
    return at->is_string() ? at->get<std::string>() : "";
  };
  if (side.files != 1) return "";
  const std::string judged = text_at({"ratchet", "rows", name.text(), "work"});
  return judged.empty() ? text_at({"ratchet", "work", name.text()}) : judged;
}

Facts file_facts(const MeasuredSide& a, const MeasuredSide& b, const RowId& name,
                 const std::map<RowId, double>& stated, const stats::Analysis& analysis) {
  Facts facts;
  facts.name = name;
  const auto of_a = a.measured.rows.find(name);
  const auto of_b = b.measured.rows.find(name);
  if (of_a != a.measured.rows.end()) {
    facts.baseline_launches = of_a->second.launches.size();
    facts.basis = of_a->second.basis;
  }
  if (of_b != b.measured.rows.end()) {
    facts.launches = of_b->second.launches.size();
    take_figures(facts, of_b->second);
  }
  if (const auto found = obstacle(a, b, name)) {
    facts.obstacle = {found->first, found->second};
    return facts;
  }
  const auto tolerance = stated.find(name);
  facts.tolerance = tolerance != stated.end()
                        ? tolerance->second
                        : of_a->second.tolerance.value_or(default_tolerance(name.device()));
  const auto [before, now] = on_one_clock(of_a->second, of_b->second);
  if (!decide_if_exact(facts, before, now))
    facts.by_launches = judge_rows(before, now, facts.tolerance, analysis);
  facts.namesakes = namesakes(name, a, b);
  const std::string work = work_in(b, name);
  facts.same_by_time =
      !work.empty() && work == work_in(a, name) && !other_device_work(before, now) &&
      machine_differences(a.measured.context, b.measured.context, "A", "B").empty();
  facts.before = figures_of(before);
  take_figures(facts, now);
  return facts;
}

std::set<RowId> names_of(const MeasuredSide& a, const MeasuredSide& b, const std::string& filter) {
  std::set<RowId> names;
  for (const MeasuredSide* side : {&a, &b}) {
    for (const auto& [name, row] : side->measured.rows) names.insert(name);
    for (const auto& [name, reason] : side->failures) names.insert(name);
  }
  return select_rows(names, filter);
}

}  // namespace

std::vector<RowReport> compare_sides(const MeasuredSide& a, const MeasuredSide& b,
                                     const CompareOptions& options) {
  const std::set<RowId> names = names_of(a, b, options.filter);
  const auto comparable = [&](const RowId& name) { return !obstacle(a, b, name); };
  const auto claims =
      static_cast<std::size_t>(std::count_if(names.begin(), names.end(), comparable));
  std::vector<Facts> rows;
  // The errors of a first analysis: files get no more launches, and are judged no worse than by the
  // gate.
  const stats::Analysis analysis = stats::plan_stored(1, std::max<std::size_t>(1, claims)).front();
  const auto stated = tolerances_for(options.tolerances, names);
  for (const RowId& name : names) rows.push_back(file_facts(a, b, name, stated, analysis));
  return judged(rows);
}

void require_metrics(const MeasuredSide& a, const MeasuredSide& b, const CompareOptions& options) {
  std::set<std::string> stated = a.metrics;
  stated.insert(b.metrics.begin(), b.metrics.end());
  for (const Metric& metric : options.metrics)
    if (!stated.contains(metric.name))
      throw Error(complaint_of_metric(metric.name, options.a + " or " + options.b, stated));
}

void require_one_machine(const MeasuredSide& a, const MeasuredSide& b, bool across) {
  const auto differences = machine_differences(a.measured.context, b.measured.context, "A", "B");
  if (differences.empty() || across) return;
  throw Error(
      fmt::format("A and B were measured on different machines: {}; to compare them anyway, add "
                  "--across-machines",
                  fmt::join(differences, ", ")));
}

}  // namespace ratchet::gate
