#include "perf/gate/rule.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "perf/stats/power.h"
#include "perf/stats/ratio.h"

namespace ratchet::gate {
namespace {

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
  const bool below = decision.ratio < 1 - tolerance;
  const bool above = decision.ratio > 1 + tolerance;
  if (below || above)
    return fmt::format("looks {}, but the interval reaches into the tolerance",
                       below ? "slower" : "faster");
  return "the interval is wider than the tolerance";
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

double default_tolerance(Device device) { return device == Device::gpu ? 0.01 : 0.03; }

Decision decide(const std::vector<double>& baseline, const std::vector<double>& current,
                double tolerance, std::size_t rows, const Rule& rule) {
  const double alpha = stats::error_per_claim(rule.false_alarms, rows * rule.looks);
  const double same_alpha = stats::error_per_claim(rule.same_error, rule.looks);
  Decision decision;
  decision.ratio = stats::ratio_estimate(baseline, current);
  decision.alarm = stats::ratio_interval(baseline, current, 1 - alpha);
  decision.plain = stats::ratio_interval(baseline, current, 1 - same_alpha);
  const double effect = stats::minimum_detectable_effect(
      baseline.size(), current.size(), stats::pooled_log_spread(baseline, current), alpha);
  decision.detectable = 1 - (1 - tolerance) / (1 + effect);
  if (std::isinf(effect)) decision.detectable = effect;

  if (decision.alarm && decision.alarm->high < 1 - tolerance) {
    decision.verdict = Verdict::slower;
  } else if (decision.alarm && decision.alarm->low > 1 + tolerance) {
    decision.verdict = Verdict::faster;
  } else if (decision.plain && decision.plain->low >= 1 - tolerance &&
             decision.plain->high <= 1 + tolerance) {
    decision.verdict = Verdict::same;
  } else {
    decision.reason = undecided_reason(decision, tolerance, alpha, baseline.size(), current.size());
  }
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
