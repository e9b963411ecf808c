#include "perf/gate/run/pair_analyses.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "kernels/contract/counted.h"
#include "perf/stats/paired.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

/// Seconds to this analysis.
double cost(const OpenRow& row, const std::vector<stats::Analysis>& analyses,
            std::size_t analysis) {
  const auto missing = static_cast<double>(analyses[analysis].launches) -
                       static_cast<double>(row.differences.size());
  return row.pair_s * std::max(0.0, missing);
}

}  // namespace

PairAnalyses::PairAnalyses(Run& run, const std::set<RowId>& rows,
                           std::vector<stats::Analysis> analyses,
                           std::function<double(const RowId&)> tolerance, FactsAt facts_at)
    : run_(run),
      analyses_(std::move(analyses)),
      tolerance_(std::move(tolerance)),
      facts_at_(std::move(facts_at)) {
  for (const RowId& row : rows) next_analysis_[row] = 0;
}

void PairAnalyses::measure() {
  run_.scheduler().plan_pairs(open_names(), analyses_.front().launches);
  if (next_analysis_.empty()) return;
  run_.scheduler().measure(open_names(), 1, 1);  // what a pair costs is not known before
  drop_failed();
  measure_what_fits();
}

std::map<RowId, Facts> PairAnalyses::settle() {
  measure_what_fits();
  analyses_ = earlier(analyses_);
  measure_what_fits();
  for (const RowId& row : open_names()) look_last(row);
  return std::move(known_);
}

void PairAnalyses::measure_what_fits() {
  while (const auto row = worth_measuring(open_rows(), analyses_, run_.budget().left())) {
    const std::size_t open = next_analysis_.size();
    const double most_s = run_.budget().left_of_all();
    double pair_s = 0;  // the last pair runs on
    for (const OpenRow& each : open_rows()) pair_s = std::max(pair_s, each.pair_s);
    run_.progress().tell(
        fmt::format("{} {} undecided", counted(open, "rows"), open == 1 ? "is" : "are"),
        least_seconds(*row), most_s + pair_s);
    take_to_next_analysis(*row);
  }
  run_.progress().clear();
}

/// What the row takes to its next analysis. The other rows may be done at the same time, or never,
/// where the budget ends before.
double PairAnalyses::least_seconds(const RowId& row) const {
  return std::max(0.0, std::min(static_cast<double>(lacking(row)) * run_.ledger().fastest_s(row),
                                run_.budget().left()));
}

std::set<RowId> PairAnalyses::open_names() const {
  std::set<RowId> names;
  for (const auto& [row, analysis] : next_analysis_) names.insert(row);
  return names;
}

std::vector<OpenRow> PairAnalyses::open_rows(const std::set<RowId>& but) const {
  std::vector<OpenRow> rows;
  for (const auto& [row, analysis] : next_analysis_) {
    if (analysis == analyses_.size() || but.count(row)) continue;
    rows.push_back({row, {}, tolerance_(row), run_.ledger().launch_s(row), analysis});
    if (run_.ledger().clean_launches(row) == 0) continue;
    const Row &before = run_.ledger().measured(0).rows.at(row),
              &now = run_.ledger().measured(1).rows.at(row);
    rows.back().differences = differences(pairs_of(before, now));
    if (const Pairs by_cpu = pairs_of_cpu_time(before, now); !by_cpu.log_ratios.empty())
      rows.back().of_cpu_time = differences(by_cpu);
  }
  return rows;
}

void PairAnalyses::drop_failed() {
  const std::set<RowId> alive = run_.ledger().alive();
  for (const RowId& row : open_names()) {
    if (alive.count(row)) continue;
    next_analysis_.erase(row);
    known_.erase(row);
  }
}

/// The open rows that are measured at once with this one. Rows that may share a process do so at
/// the same analysis; rows of one thread take a CPU each, as many as there are.
std::set<RowId> PairAnalyses::measured_with(const RowId& row) const {
  std::set<RowId> names = {row};
  for (const auto& [other, analysis] : next_analysis_)
    if (run_.launcher().share_process(other, row) && analysis == next_analysis_.at(row))
      names.insert(other);
  if (names.size() > 1) return names;
  while (run_.launcher().runs_concurrently(row) && names.size() < run_.launcher().slots()) {
    std::vector<OpenRow> others = open_rows(names);
    std::erase_if(others, [&](const OpenRow& other) {
      return !run_.launcher().runs_concurrently(other.name);
    });
    const auto next = worth_measuring(others, analyses_, run_.budget().left());
    if (!next) break;
    names.insert(*next);
  }
  return names;
}

std::size_t PairAnalyses::lacking(const RowId& row) const {
  const std::size_t wanted = analyses_[next_analysis_.at(row)].launches;
  return wanted - std::min(wanted, run_.ledger().clean_launches(row));
}

/// Whoever is not decided by the first pairs needs quieter ones, for which there often is time: the
/// plan ends. No pair's probability of either sign depends on how many launches it has.
std::size_t PairAnalyses::launches_a_pair(const RowId& row) const {
  constexpr std::size_t quick = 36;
  constexpr double share = 0.8;
  if (analyses_[next_analysis_.at(row)].launches <= quick) return 1;
  double all_s = 0;  // of one launch in each pair that may follow
  for (const auto& [open, analysis] : next_analysis_) {
    const std::size_t most = analyses_.back().launches;
    all_s += static_cast<double>(most - std::min(most, run_.ledger().clean_launches(open))) *
             run_.ledger().fastest_s(open);
  }
  return all_s > 0 ? launches_that_fit(share * run_.budget().left() / all_s) : 1;
}

/// A row's pairs need no other row between them, and all rows a pair short of their analysis would
/// be nothing.
void PairAnalyses::take_to_next_analysis(const RowId& row) {
  const std::set<RowId> names = measured_with(row);
  run_.launcher().set_launches_a_pair(launches_a_pair(row));
  if (names.size() > 1 && !run_.launcher().runs_concurrently(row)) {
    run_.scheduler().measure(names, lacking(row));
  } else if (run_.launcher().runs_concurrently(row)) {
    std::map<RowId, std::size_t> pairs;
    for (const RowId& name : names) pairs[name] = lacking(name);
    run_.scheduler().measure_concurrently(pairs);
  } else {
    run_.scheduler().measure_row(row, lacking(row));
  }
  drop_failed();
  for (const RowId& name : names)
    if (next_analysis_.count(name)) look(name);
}

namespace {

/// The screening calls nothing slower or faster, and does not know after how many pairs the next
/// analysis does.
void state_least(Facts& facts, const std::vector<stats::Analysis>& analyses) {
  if (!facts.by_launches) return;
  auto* few = std::get_if<FewPairs>(&facts.by_launches->reason);
  if (!few || few->least > 0) return;
  for (const stats::Analysis& analysis : analyses)
    if (analysis.simultaneous_error > 0 && few->least == 0)
      few->least = stats::least_pairs(analysis.simultaneous_error);
}

}  // namespace

/// Rows that are decided are done with; the others have one analysis less before them.
void PairAnalyses::look(const RowId& row) {
  std::size_t& next = next_analysis_.at(row);
  known_[row] = facts_at_(row, analyses_[std::min(next, analyses_.size() - 1)]);
  state_least(known_[row], analyses_);
  next = std::min(next + 1, analyses_.size());
  if (judge(known_[row]).verdict != Verdict::undecided) next_analysis_.erase(row);
}

/// An analysis that the budget did not reach may have too small errors for an interval of the
/// existing pairs. The row then keeps the interval of its last analysis. Where no analysis gave an
/// interval, the first one has not spent its error, and needs the fewest pairs.
void PairAnalyses::look_last(const RowId& row) {
  const auto earlier = known_.find(row);
  const std::optional<Facts> before =
      earlier == known_.end() ? std::nullopt : std::optional(earlier->second);
  look(row);
  const auto has_interval = [](const Facts& facts) {
    return facts.by_launches &&
           (facts.by_launches->simultaneous || facts.by_launches->per_comparison);
  };
  if (!next_analysis_.count(row) || has_interval(known_.at(row))) return;
  known_[row] = before && has_interval(*before) ? *before : facts_at_(row, analyses_.front());
}

namespace {

/// Two pairs are too few to estimate the scatter.
constexpr std::size_t least_known = 3;

/// The approximate distance of a bound with this error, in deviations of the mean.
double deviations(double error) {
  return error > 0 && error < 0.5 ? -boost::math::quantile(boost::math::normal(), error)
                                  : std::numeric_limits<double>::infinity();
}

/// The analysis that may well decide these differences of the row's pairs.
std::optional<std::size_t> likely_by(const OpenRow& row, const std::vector<double>& differences,
                                     double tolerance,
                                     const std::vector<stats::Analysis>& analyses) {
  if (differences.size() < least_known) return std::nullopt;
  const double spread = stats::robust_deviation(differences);
  const double size = std::abs(std::log(stats::paired_estimate(differences)));
  const bool within = size < tolerance;
  const double room = std::abs(size - tolerance);
  // Of few pairs the estimate may lie at the edge of the tolerance by chance: 0.3 in favour.
  const double chance = 0.52 * spread / std::sqrt(static_cast<double>(differences.size()));
  for (std::size_t i = row.next_analysis; i < analyses.size(); ++i) {
    const double error = within ? analyses[i].same_error : analyses[i].simultaneous_error;
    const double reach = deviations(error) * spread / std::sqrt(analyses[i].launches);
    if (within && reach >= tolerance) continue;
    if (analyses[i].launches >= differences.size() && reach < room + chance) return i;
  }
  return std::nullopt;
}

}  // namespace

std::size_t launches_that_fit(double fit) {
  return (static_cast<std::size_t>(std::clamp(fit, 1.0, 9.0)) - 1) | 1U;
}

std::vector<stats::Analysis> earlier(std::vector<stats::Analysis> analyses) {
  for (std::size_t i = analyses.size(); i-- > 1;)
    if (analyses[i - 1].simultaneous_error > 0)  // the first of these has no pair to spare
      analyses[i].launches = (3 * analyses[i].launches + 3) / 4;
  return analyses;
}

std::optional<std::size_t> likely_analysis(const OpenRow& row,
                                           const std::vector<stats::Analysis>& analyses) {
  const auto by_wall = likely_by(row, row.differences, row.tolerance, analyses);
  if (row.of_cpu_time.empty()) return by_wall;
  const auto by_cpu = likely_by(row, row.of_cpu_time, row.tolerance, analyses);
  const auto fits = likely_by(row, row.differences, wall_time_band * row.tolerance, analyses);
  if (!by_cpu || !fits) return by_wall;
  return std::min(by_wall.value_or(analyses.size()), std::max(*by_cpu, *fits));
}

std::optional<RowId> worth_measuring(const std::vector<OpenRow>& rows,
                                     const std::vector<stats::Analysis>& analyses, double seconds) {
  using Priced = std::tuple<bool, double, RowId>;
  std::optional<Priced> hopeful, other;
  for (const OpenRow& row : rows) {
    const bool known = row.differences.size() >= least_known;
    const bool gains = known && stats::paired_estimate(row.differences) >= 1 - row.tolerance;
    const auto offer = [&](std::optional<Priced>& best, std::size_t analysis) {
      const double price = cost(row, analyses, analysis);
      const Priced priced{gains, price, row.name};
      if (price <= seconds && (!best || priced < *best)) best = priced;
    };
    const auto analysis = known ? likely_analysis(row, analyses) : row.next_analysis;
    if (analysis) offer(hopeful, *analysis);
    // An analysis that is likely to decide may be out of reach when the next one is not.
    offer(other, row.next_analysis);
  }
  const auto& chosen = hopeful ? hopeful : other;
  if (!chosen) return std::nullopt;
  return std::get<RowId>(*chosen);
}

}  // namespace ratchet::gate
