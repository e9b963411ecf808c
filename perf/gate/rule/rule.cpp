#include "perf/gate/rule/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "perf/stats/paired.h"
#include "perf/stats/power.h"
#include "perf/stats/ratio.h"

namespace ratchet::gate {
namespace {

Verdict verdict_of(const Decision& decision, double tolerance) {
  if (decision.alarm && decision.alarm->high < 1 - tolerance) return Verdict::slower;
  if (decision.alarm && decision.alarm->low > 1 + tolerance) return Verdict::faster;
  if (decision.plain && decision.plain->low >= 1 - tolerance &&
      decision.plain->high <= 1 + tolerance)
    return Verdict::same;
  return Verdict::undecided;
}

/// What the interval says of a row that stays undecided.
std::string doubt(const Decision& decision, double tolerance) {
  const bool below = decision.ratio < 1 - tolerance;
  const bool above = decision.ratio > 1 + tolerance;
  if (below || above)
    return fmt::format("looks {}, but the interval reaches into the tolerance",
                       below ? "slower" : "faster");
  return "the interval is wider than the tolerance";
}

/// Why a row could not be decided, in words that say what would help.
std::string undecided_reason(const Decision& decision, double tolerance, double alpha,
                             std::size_t baseline, std::size_t current) {
  if (!decision.alarm) {
    const std::size_t least = stats::least_launches(baseline, alpha);
    if (least == 0 || least > 100)
      return fmt::format("a baseline of {} launches is too small to compare with", baseline);
    if (current < least)
      return fmt::format("{} launches are too few, {} are the least", current, least);
  }
  return doubt(decision, tolerance);
}

/// A throughput that must fall by `effect` beyond the tolerance falls by this share in all.
double with_tolerance(double effect, double tolerance) {
  return std::isinf(effect) ? effect : 1 - (1 - tolerance) / (1 + effect);
}

/// Standard deviation of normal values with this median absolute deviation: one wild pair must not
/// spoil what is said of the others.
double spread(std::vector<double> values) {
  const double centre = stats::median(values);
  for (double& value : values) value = std::fabs(value - centre);
  return 1.4826 * stats::median(values);
}

std::optional<stats::Interval> interval(const std::optional<stats::Bounds>& bounds) {
  if (!bounds) return std::nullopt;
  return stats::Interval{bounds->low, bounds->high, 1 - 2 * bounds->error};
}

/// The smallest interval that holds both; nothing when either is missing.
std::optional<stats::Interval> hull(const std::optional<stats::Interval>& a,
                                    const std::optional<stats::Interval>& b) {
  if (!a || !b) return std::nullopt;
  return stats::Interval{std::min(a->low, b->low), std::max(a->high, b->high),
                         std::min(a->coverage, b->coverage)};
}

}  // namespace

std::string to_string(Verdict verdict) {
  static const std::map<Verdict, std::string> words = {{Verdict::slower, "slower"},
                                                       {Verdict::failed, "failed"},
                                                       {Verdict::unverified, "unverified"},
                                                       {Verdict::missing, "missing"},
                                                       {Verdict::changed, "changed"},
                                                       {Verdict::fresh, "new"},
                                                       {Verdict::undecided, "undecided"},
                                                       {Verdict::faster, "faster"},
                                                       {Verdict::same, "same"},
                                                       {Verdict::uncompared, "uncompared"},
                                                       {Verdict::unavailable, "unavailable"}};
  return words.at(verdict);
}

double default_tolerance(Device device, Comparison comparison) {
  if (device != Device::gpu) return 0.03;
  return comparison == Comparison::paired ? 0.0025 : 0.005;
}

Decision decide(const std::vector<double>& baseline, const std::vector<double>& current,
                double tolerance, std::size_t rows, const Rule& rule) {
  // One-sided errors: the interval at 1 - 2 alpha holds two bounds of error alpha each.
  const double alpha = stats::error_per_claim(rule.false_alarms, rows * rule.looks);
  const double same_alpha = stats::error_per_claim(rule.same_error, rule.looks);
  Decision decision;
  decision.ratio = stats::ratio_estimate(baseline, current);
  decision.alarm = stats::ratio_interval(baseline, current, 1 - 2 * alpha);
  decision.plain = stats::ratio_interval(baseline, current, 1 - 2 * same_alpha);
  decision.detectable = with_tolerance(
      stats::minimum_detectable_effect(baseline.size(), current.size(),
                                       stats::pooled_log_spread(baseline, current), 2 * alpha),
      tolerance);
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict == Verdict::undecided)
    decision.reason =
        undecided_reason(decision, tolerance, 2 * alpha, baseline.size(), current.size());
  return decision;
}

Decision decide_pairs(const Pairs& pairs, double tolerance, const stats::Look& look) {
  const bool alone = pairs.reference.empty();
  const stats::Judgement judgement =
      alone ? stats::judge(pairs.log_ratios, look, tolerance)
            : stats::judge(pairs.log_ratios, pairs.reference, look, tolerance);
  const std::vector<double> ratios =
      alone ? pairs.log_ratios : stats::adjusted(pairs.log_ratios, pairs.reference);
  Decision decision;
  decision.ratio = judgement.ratio;
  decision.alarm = interval(judgement.alarm);
  decision.plain = interval(judgement.same);
  const double error = look.alarm_error > 0 ? look.alarm_error : look.same_error;
  decision.detectable =
      with_tolerance(stats::paired_detectable(ratios.size(), spread(ratios), error), tolerance);
  decision.verdict = verdict_of(decision, tolerance);
  if (decision.verdict == Verdict::undecided) decision.reason = doubt(decision, tolerance);
  return decision;
}

Decision agreed(const Decision& measured, const Decision& normalised, double machine_ratio) {
  Decision decision = measured;
  decision.alarm = hull(measured.alarm, normalised.alarm);
  decision.plain = hull(measured.plain, normalised.plain);
  decision.detectable = std::max(measured.detectable, normalised.detectable);
  if (measured.verdict == normalised.verdict) return decision;
  decision.verdict = Verdict::undecided;
  decision.reason = fmt::format(
      "{} as measured, but {} beside the reference workload, which ran at {:+.1f} % of its speed "
      "then: the machine differs, not only the code",
      to_string(measured.verdict), to_string(normalised.verdict), (machine_ratio - 1) * 100);
  return decision;
}

Decision decide_against_itself(const std::vector<double>& launches, double tolerance,
                               std::size_t rows, const Rule& rule) {
  std::vector<double> even;
  std::vector<double> odd;
  for (std::size_t i = 0; i < launches.size(); ++i)
    (i % 2 == 0 ? even : odd).push_back(launches[i]);
  if (odd.empty()) {
    Decision decision;
    decision.reason = "one launch cannot be compared with itself";
    return decision;
  }
  return decide(even, odd, tolerance, rows, rule);
}

}  // namespace ratchet::gate
