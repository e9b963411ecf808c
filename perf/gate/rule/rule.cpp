#include "perf/gate/rule/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "kernels/contract/row_filter.h"
#include "perf/stats/paired.h"
#include "perf/stats/ratio.h"
#include "perf/stats/sequential.h"
#include "perf/support/error.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

Verdict verdict_of(const Decision& decision, double tolerance) {
  if (decision.simultaneous && decision.simultaneous->high < 1 - tolerance) return Verdict::slower;
  if (decision.simultaneous && decision.simultaneous->low > 1 + tolerance) return Verdict::faster;
  if (decision.per_comparison && decision.per_comparison->low >= 1 - tolerance &&
      decision.per_comparison->high <= 1 + tolerance)
    return Verdict::same;
  return Verdict::undecided;
}

/// Whether the per-comparison interval lies beyond the tolerance: only the interval for the error
/// of all rows is missing.
bool beyond(const Decision& decision, double tolerance) {
  const auto& bounds = decision.per_comparison;
  return !decision.simultaneous && bounds &&
         (bounds->high < 1 - tolerance || bounds->low > 1 + tolerance);
}

/// What the interval says of a row that stays undecided.
TooWide doubt(const Decision& decision, double tolerance) {
  return {decision.ratio < 1 - tolerance ? -1 : decision.ratio > 1 + tolerance ? 1 : 0};
}

/// Why a row could not be decided: what would help.
Reason undecided_reason(const Decision& decision, double tolerance, double alpha,
                        std::size_t baseline, std::size_t current) {
  if (!decision.simultaneous) {
    const std::size_t least = stats::least_launches(baseline, alpha);
    if (least == 0 || least > 100) return SmallBaseline{baseline};
    if (current < least) return FewLaunches{current, least};
  }
  return doubt(decision, tolerance);
}

/// A throughput that must fall by `effect` beyond the tolerance falls by this share in all.
double with_tolerance(double effect, double tolerance) {
  return std::isinf(effect) ? effect : 1 - (1 - tolerance) / (1 + effect);
}

/// With a few launches that lie far off the rest, the interval is wider than their robust spread
/// tells, perhaps on one side. What these very launches, moved as a whole, would not have been
/// called slower or faster for is not detectable, either: else a row would show an interval that
/// leaves a larger loss possible than it claims to detect.
double detectable_effect(double by_spread, const Decision& decision) {
  if (!decision.simultaneous) return by_spread;
  const auto& [low, high, error] = *decision.simultaneous;
  return std::max({by_spread, high / decision.ratio - 1, decision.ratio / low - 1});
}

/// The smallest bounds that hold both; nothing when either is missing.
std::optional<stats::Bounds> hull(const std::optional<stats::Bounds>& a,
                                  const std::optional<stats::Bounds>& b) {
  if (!a || !b) return std::nullopt;
  return stats::Bounds{std::min(a->low, b->low), std::max(a->high, b->high),
                       std::max(a->error, b->error)};
}

}  // namespace

double default_tolerance(Device device, Comparison comparison) {
  const bool paired = comparison != Comparison::stored;
  if (device != Device::gpu) return paired ? 0.01 : 0.03;
  return paired ? 0.0025 : 0.005;
}

Decision decide_stored(const std::vector<double>& baseline, const std::vector<double>& current,
                       double tolerance, const stats::Analysis& analysis) {
  const double alpha = 2 * analysis.simultaneous_error;
  Decision decision;
  decision.ratio = stats::ratio_estimate(baseline, current);
  decision.simultaneous = stats::ratio_bounds(baseline, current, analysis.simultaneous_error);
  decision.per_comparison = stats::ratio_bounds(baseline, current, analysis.same_error);
  const double by_spread = stats::minimum_detectable_effect(
      baseline.size(), current.size(), stats::pooled_log_spread(baseline, current), alpha);
  decision.detectable = with_tolerance(detectable_effect(by_spread, decision), tolerance);
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict == Verdict::undecided)
    decision.reason = undecided_reason(decision, tolerance, alpha, baseline.size(), current.size());
  return decision;
}

namespace {

/// What may be taken off the pairs; empty where nothing may.
const std::vector<double>& explanation(const Pairs& pairs) {
  constexpr double chance = 0.01;
  static const std::vector<double> none;
  if (!pairs.reference.empty()) return pairs.reference;
  if (pairs.clock.empty()) return none;
  const auto shift = stats::paired_bounds(pairs.clock, chance);
  return shift && (shift->low > 1 || shift->high < 1) ? none : pairs.clock;
}

Verdict side_of(double change, double tolerance) {
  if (std::abs(change) <= tolerance) return Verdict::same;
  return change < 0 ? Verdict::slower : Verdict::faster;
}

}  // namespace

std::vector<double> differences(const Pairs& pairs, double centre) {
  const std::vector<double>& explained = explanation(pairs);
  return explained.empty() ? pairs.log_ratios
                           : stats::adjusted(pairs.log_ratios, explained, centre);
}

Decision decide_pairs(const Pairs& pairs, double tolerance, const stats::Analysis& analysis) {
  const std::vector<double> d = differences(pairs);
  Decision decision;
  decision.ratio = stats::paired_estimate(d);
  decision.simultaneous = stats::paired_bounds(d, analysis.simultaneous_error);
  const auto low =
      stats::paired_bounds(differences(pairs, std::log1p(-tolerance)), analysis.same_error);
  const std::vector<double>& explained = explanation(pairs);
  const bool by_clock = !explained.empty() && &explained == &pairs.clock;
  const auto high =
      explained.empty()
          ? low
          : stats::paired_bounds(differences(pairs, std::log1p(tolerance)), analysis.same_error);
  if (low && high) decision.per_comparison = stats::Bounds{low->low, high->high, low->error};
  const double by_spread = analysis.simultaneous_error > 0
                               ? stats::paired_detectable(d.size(), stats::robust_deviation(d),
                                                          analysis.simultaneous_error)
                               : std::numeric_limits<double>::infinity();
  decision.detectable = with_tolerance(detectable_effect(by_spread, decision), tolerance);
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict == Verdict::undecided) {
    decision.reason = doubt(decision, tolerance);
    if (!decision.simultaneous && !decision.per_comparison)
      decision.reason = FewPairs{
          d.size(), stats::least_pairs(std::max(analysis.simultaneous_error, analysis.same_error))};
    else if (beyond(decision, tolerance))
      decision.reason = FewPairs{
          d.size(),
          analysis.simultaneous_error > 0 ? stats::least_pairs(analysis.simultaneous_error) : 0,
          doubt(decision, tolerance).side};
  } else if (const double measured = stats::paired_estimate(pairs.log_ratios) - 1;
             by_clock && side_of(measured, tolerance) != decision.verdict) {
    decision.reason = ApartAsClockRan{decision.verdict, measured};
    decision.verdict = Verdict::undecided;
  }
  return decision;
}

Decision decide_exact(double before, double now, double tolerance) {
  Decision decision;
  decision.ratio = now / before;
  decision.simultaneous = decision.per_comparison =
      stats::Bounds{decision.ratio, decision.ratio, 0};
  decision.detectable = tolerance;
  decision.verdict = verdict_of(decision, tolerance);
  return decision;
}

Decision agreed(const Decision& measured, const Decision& normalised, double machine_ratio) {
  Decision decision = measured;
  decision.simultaneous = hull(measured.simultaneous, normalised.simultaneous);
  decision.per_comparison = hull(measured.per_comparison, normalised.per_comparison);
  decision.detectable = std::max(measured.detectable, normalised.detectable);
  if (measured.verdict == normalised.verdict) return decision;
  decision.verdict = Verdict::undecided;
  decision.reason = ApartFromReference{measured.verdict, normalised.verdict, machine_ratio};
  return decision;
}

double occasion_allowance(Device device) { return device == Device::gpu ? 1.05 : 1.5; }

Decision across_occasions(const Decision& by_launches,
                          const std::optional<stats::OccasionShift>& shift, Device device,
                          double tolerance, const stats::Analysis& analysis) {
  Decision decision = by_launches;
  const double moved = shift ? std::exp(shift->centre) : 1;
  const auto widen = [&](std::optional<stats::Bounds>& bounds, double factor) {
    if (!bounds) return;
    bounds->low = bounds->low / moved / factor;
    bounds->high = bounds->high / moved * factor;
  };
  const double alarm = shift && analysis.simultaneous_error > 0
                           ? std::exp(stats::reach(*shift, analysis.simultaneous_error))
                           : occasion_allowance(device);
  decision.ratio /= moved;
  widen(decision.simultaneous, alarm);
  widen(decision.per_comparison, shift ? std::exp(stats::reach(*shift, analysis.same_error)) : 1);
  decision.detectable = 1 - (1 - decision.detectable) / alarm;
  if (!shift && by_launches.verdict == Verdict::undecided) return decision;
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict != Verdict::undecided) decision.reason = {};
  if (decision.verdict != Verdict::undecided || by_launches.verdict == Verdict::undecided)
    return decision;
  decision.reason = BetweenOccasions{by_launches.verdict, shift};
  return decision;
}

Decision decide_nodes(const std::vector<double>& logs, stats::Reference reference, double tolerance,
                      const stats::Analysis& analysis) {
  const stats::NodesSay alarm = stats::of_nodes(logs, reference, analysis.simultaneous_error);
  Decision decision;
  decision.ratio = alarm.ratio;
  decision.simultaneous = alarm.bounds;
  decision.per_comparison = stats::of_nodes(logs, reference, analysis.same_error).bounds;
  decision.detectable = with_tolerance(alarm.detectable, tolerance);
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict == Verdict::undecided) decision.reason = doubt(decision, tolerance);
  return decision;
}

Decision decide_against_itself(const std::vector<double>& launches, double tolerance,
                               const stats::Analysis& analysis) {
  std::vector<double> even;
  std::vector<double> odd;
  for (std::size_t i = 0; i < launches.size(); ++i)
    (i % 2 == 0 ? even : odd).push_back(launches[i]);
  if (odd.empty()) {
    Decision decision;
    decision.reason = OneLaunch{};
    return decision;
  }
  return decide_stored(even, odd, tolerance, analysis);
}

StatedTolerance read_tolerance(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  StatedTolerance stated;
  if (equals != std::string::npos) stated.rows = text.substr(0, equals);
  const std::string share = equals == std::string::npos ? text : text.substr(equals + 1);
  const char* const end = share.data() + share.size();
  const auto read = std::from_chars(share.data(), end, stated.share);
  if (read.ec != std::errc() || read.ptr != end || !(stated.share >= 0.0001) ||
      !(stated.share <= 0.9999) || (equals != std::string::npos && stated.rows.empty()))
    throw Error(
        fmt::format("tolerance \"{}\" is neither a share from 0.0001 to 0.9999, such as "
                    "0.03 for 3 %, nor ROWS=SHARE",
                    text));
  return stated;
}

std::vector<StatedTolerance> of_this_run(std::vector<StatedTolerance> stated,
                                         const std::set<RowId>& rows, const std::set<RowId>& listed,
                                         const std::function<void(const std::string&)>& say) {
  std::erase_if(stated, [&](const StatedTolerance& each) {
    const bool left_out =
        select_stated(rows, each.rows).empty() && !select_stated(listed, each.rows).empty();
    if (left_out)
      say(fmt::format("--tolerance {}={} is of rows that this run leaves out", each.rows,
                      each.share));
    return left_out;
  });
  return stated;
}

std::map<RowId, double> tolerances_for(const std::vector<StatedTolerance>& stated,
                                       const std::set<RowId>& rows) {
  std::map<RowId, double> tolerances;
  for (const StatedTolerance& each : stated) {
    const std::set<RowId> selected = select_stated(rows, each.rows);
    if (selected.empty() && !rows.empty())
      throw Error(fmt::format("--tolerance {}={}: no row of this run has this name{}", each.rows,
                              each.share, did_you_mean_row(each.rows, rows)));
    for (const RowId& row : selected) tolerances[row] = each.share;
  }
  return tolerances;
}

}  // namespace ratchet::gate
