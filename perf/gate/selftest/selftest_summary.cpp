#include <fmt/format.h>

#include <boost/math/distributions/binomial.hpp>

#include "perf/gate/selftest/selftest.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

bool has(const SelftestRun& run, Verdict verdict) {
  for (const auto& [name, row] : run.rows) {
    if (row.verdict == verdict) return true;
  }
  return false;
}

template <class Wanted>
SelftestSummary::Alarms alarms(const SelftestRecord& record, bool neighbour, Wanted&& wanted) {
  std::size_t runs = 0, slower = 0, faster = 0, undecided = 0;
  for (const SelftestRun& run : record.runs) {
    if (run.slowdown != 0 || !wanted(run)) continue;
    ++runs;
    slower += has(run, Verdict::slower);
    faster += has(run, Verdict::faster);
    undecided += has(run, Verdict::undecided) && !has(run, Verdict::slower);
  }
  return {neighbour, rate(slower, runs), rate(faster, runs), rate(undecided, runs)};
}

void add_detections(const SelftestRecord& record, SelftestSummary& summary) {
  struct Count {
    std::size_t rows = 0, slower = 0, same = 0;
    std::vector<double> effects;
  };
  std::map<std::pair<double, bool>, Count> counts;
  for (const SelftestRun& run : record.runs) {
    if (run.slowdown == 0) continue;
    Count& count = counts[{run.slowdown, run.neighbour}];
    for (const auto& [name, row] : run.rows) {
      ++count.rows;
      count.slower += row.verdict == Verdict::slower;
      count.same += row.verdict == Verdict::same;
      count.effects.push_back(1 / row.ratio - 1);
    }
  }
  for (const auto& [key, count] : counts)
    summary.detections.push_back({key.first, key.second, rate(count.slower, count.rows),
                                  rate(count.same, count.rows), stats::median(count.effects)});
}

std::string text(const Rate& rate) {
  return fmt::format("{:.1f} % ({} of {}; {:.1f} ... {:.1f} %)", 100 * rate.share(), rate.hits,
                     rate.of, 100 * rate.low, 100 * rate.high);
}

}  // namespace

Rate rate(std::size_t hits, std::size_t of) {
  using boost::math::binomial_distribution;
  if (of == 0) return {};
  const auto n = static_cast<double>(of);
  const auto k = static_cast<double>(hits);
  constexpr double half_error = 0.025;
  return {hits, of,
          hits == 0 ? 0 : binomial_distribution<>::find_lower_bound_on_p(n, k, half_error),
          hits == of ? 1 : binomial_distribution<>::find_upper_bound_on_p(n, k, half_error)};
}

SelftestSummary summarize(const SelftestRecord& record) {
  SelftestSummary summary;
  for (const bool neighbour : {false, true}) {
    const auto found = alarms(record, neighbour,
                              [&](const SelftestRun& run) { return run.neighbour == neighbour; });
    if (found.slower.of > 0) summary.alarms.push_back(found);
  }
  add_detections(record, summary);
  std::map<std::string, std::vector<double>> detectable;
  double seconds = 0, measuring = 0;
  for (const SelftestRun& run : record.runs) {
    seconds += run.seconds;
    measuring += run.measuring_s;
    if (run.slowdown != 0) continue;
    for (const auto& [name, row] : run.rows) {
      if (row.detectable > 0) detectable[name].push_back(row.detectable);
    }
  }
  for (const auto& [name, values] : detectable) summary.detectable[name] = stats::median(values);
  summary.overhead = seconds > 0 ? 1 - measuring / seconds : 0;
  return summary;
}

std::string selftest_table(const SelftestRecord& record) {
  const SelftestSummary summary = summarize(record);
  const auto load_text = [](bool neighbour) { return neighbour ? "busy neighbour" : "alone"; };
  std::string out =
      "| same against same | runs called slower | runs called faster | runs undecided |\n"
      "| --- | --- | --- | --- |\n";
  for (const auto& alarms : summary.alarms)
    out += fmt::format("| {} | {} | {} | {} |\n", load_text(alarms.neighbour), text(alarms.slower),
                       text(alarms.faster), text(alarms.undecided));
  out +=
      "\n| slowed by | measured | | rows called slower | rows called same |\n"
      "| --- | --- | --- | --- | --- |\n";
  for (const auto& detection : summary.detections)
    out += fmt::format("| {:.1f} % | {:.2f} % | {} | {} | {} |\n", 100 * detection.slowdown,
                       100 * detection.measured, load_text(detection.neighbour),
                       text(detection.slower), text(detection.same));
  out += "\n| row | smallest slowdown detected nine times in ten |\n| --- | --- |\n";
  for (const auto& [name, effect] : summary.detectable)
    out += fmt::format("| `{}` | {:.2f} % |\n", name, 100 * effect);
  out += fmt::format("\nOverhead of the gate: {:.1f} % of the time.\n", 100 * summary.overhead);
  return out;
}

}  // namespace ratchet::gate
