#include "perf/gate/rule/compare_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "perf/gate/baseline/third_party_json.h"
#include "perf/stats/ratio.h"

namespace ratchet::gate {
namespace {

/// ln(now / before) of a counter, launch by launch; empty where a launch lacks it.
std::vector<double> log_ratios(const Row& before, const Row& now, const std::string& counter) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(before.launches.size(), now.launches.size()); ++i) {
    const double a = before.launches[i].counter(counter).value_or(0);
    const double b = now.launches[i].counter(counter).value_or(0);
    if (!(a > 0) || !(b > 0)) return {};
    ratios.push_back(std::log(b / a));
  }
  return ratios;
}

/// What pairs say that were held against each other sample by sample; empty where one was not.
std::vector<double> log_ratios_in_turns(const Row& now) {
  std::vector<double> ratios;
  for (const Launch& launch : now.launches) {
    const double ratio = launch.counter(kTurnsRatio).value_or(0);
    if (!(ratio > 0)) return {};
    ratios.push_back(std::log(ratio));
  }
  return ratios;
}

/// The speed of the reference workload in each launch; empty where one of them lacks it.
std::vector<double> reference_of(const Row& row) {
  std::vector<double> speeds;
  for (const Launch& launch : row.launches) {
    const double speed = launch.counter("reference_per_second").value_or(0);
    if (!(speed > 0)) return {};
    speeds.push_back(speed);
  }
  return speeds;
}

std::vector<double> over(const std::vector<double>& throughputs,
                         const std::vector<double>& speeds) {
  std::vector<double> normalised = throughputs;
  for (std::size_t i = 0; i < normalised.size(); ++i) normalised[i] /= speeds[i];
  return normalised;
}

/// A neighbour that slows the whole machine must not look like a slower stage, nor a slower stage
/// be excused by him: where both sides ran the reference workload, both views must agree.
Decision decide_both_views(const Row& stored, const Row& now, double tolerance,
                           const stats::Look& look) {
  const Decision measured = decide_stored(stored.throughputs(), now.throughputs(), tolerance, look);
  const auto version = [](const Row& row) {
    return row.launches.front().counter("reference_version");
  };
  const std::vector<double> then_reference = reference_of(stored);
  const std::vector<double> now_reference = reference_of(now);
  if (then_reference.empty() || now_reference.empty() || version(stored) != version(now))
    return measured;
  const Decision normalised =
      decide_stored(over(stored.throughputs(), then_reference),
                    over(now.throughputs(), now_reference), tolerance, look);
  return agreed(measured, normalised, stats::ratio_estimate(then_reference, now_reference));
}

/// A launch's time is the median of its samples, or another quantile that the row states.
double quantile_of(const Row& row) { return row.launches.front().counter("centre").value_or(0.5); }

/// Then it is the mean of them.
bool in_turns(const Row& row) { return row.launches.front().counter("turns").has_value(); }

/// What makes the figures of a row not comparable: another amount of work a call, or launches
/// summed up in another way.
std::optional<std::string> changed_between(const Row& before, const Row& now) {
  if (now.basis != before.basis)
    return fmt::format("throughput is {}, in the baseline {}",
                       now.basis.empty() ? "units_per_second" : now.basis,
                       before.basis.empty() ? "units_per_second" : before.basis);
  if (now.units() != before.units())
    return fmt::format("the work of one call is {:.6g}, in the baseline {:.6g}", now.units(),
                       before.units());
  if (in_turns(now) != in_turns(before))
    return fmt::format("a launch {} samples in turns with another process, in the baseline {}",
                       in_turns(now) ? "took its" : "took no", in_turns(before) ? "it did" : "not");
  if (quantile_of(now) != quantile_of(before))
    return fmt::format(
        "a launch is summed up by its {:.3g}-quantile, in the baseline by its {:.3g}-quantile",
        quantile_of(now), quantile_of(before));
  return std::nullopt;
}

/// A turn of Google Benchmark's own loop takes one or two cycles; what takes no longer was removed
/// by the compiler. No CPU makes a turn in less than the second time.
constexpr double empty_loop_ns = 1, least_turn_ns = 0.1;
/// Of one loop and the same, laid out in another way, and no more.
constexpr double most_between_layouts = 2.5;
/// Reading the clock takes 20 to 50 ns, twice a measurement: a hundredth of this.
constexpr double least_measured_ns = 5000;

double median_ns(const Row& row, bool of_the_whole_run) {
  std::vector<double> times;
  for (const Launch& launch : row.launches) {
    const double calls = static_cast<double>(launch.iterations) *
                         launch.counter("samples").value_or(1);  // by ratchet::timing
    times.push_back(launch.real_ms * 1e6 * (of_the_whole_run ? calls : 1));
  }
  return stats::median(times);
}

/// How many calls a turn of the loop counts: a program may count them in batches
/// (KeepRunningBatch), and then all its numbers of calls are multiples of one.
double calls_a_turn(const Row& row) {
  constexpr std::size_t enough = 5, different = 3;
  std::set<std::int64_t> counts;
  std::int64_t common = 0;
  for (const Launch& launch : row.launches) {
    counts.insert(launch.iterations);
    common = std::gcd(common, launch.iterations);
  }
  const bool told = row.launches.size() >= enough && counts.size() >= different;
  return told ? static_cast<double>(common) : 1;
}

bool is_empty_loop(const Row& row) {
  const double call = median_ns(row, false);
  return call < empty_loop_ns && call >= least_turn_ns && call * calls_a_turn(row) < empty_loop_ns;
}

/// A GPU's own clock tells nanoseconds.
bool timed_by_gpu(const Row& row) {
  const ThroughputBasis basis = basis_of(row.basis);
  return basis == ThroughputBasis::gpu_samples || basis == ThroughputBasis::gpu_mean ||
         basis == ThroughputBasis::device_time ||
         row.launches.front().counter("kernels").value_or(0) > 0;
}

}  // namespace

std::string measures_nothing(const Row& row) {
  if (row.basis.empty() || row.launches.empty()) return "";
  const double call = median_ns(row, false), run = median_ns(row, true);
  if (is_empty_loop(row))
    return fmt::format("measures nothing: {:.2g} ns a call is an empty loop", call);
  if (run < least_measured_ns && !timed_by_gpu(row))
    return fmt::format("measures nothing: {:.3g} ns in all is as short as a clock can tell", run);
  return "";
}

std::string misses_its_waits(const Row& row) {
  constexpr double waits = 0.5;
  const ThroughputBasis basis = basis_of(row.basis);
  if (row.basis.empty() || row.launches.empty()) return "";
  const auto by_cpu = [&](const Launch& launch) {
    const double rate = launch.counter("units_per_second").value_or(0);
    const double work = launch.counter("units").value_or(0);
    return work > 0 && std::fabs(rate * launch.cpu_ms * 1e-3 - work) <= 1e-6 * work;
  };
  const bool counted = basis == ThroughputBasis::items || basis == ThroughputBasis::bytes ||
                       basis == ThroughputBasis::cpu_time;
  if (!counted || !std::all_of(row.launches.begin(), row.launches.end(), by_cpu)) return "";
  std::vector<double> shares;
  for (const Launch& launch : row.launches) shares.push_back(launch.cpu_ms / launch.real_ms);
  const double share = stats::median(shares);
  if (!(share < waits)) return "";
  return fmt::format(
      "it waits: its {} counts CPU time, {:.2g} % of its real time, and no longer "
      "wait is seen; ->UseRealTime() counts both",
      row.basis, 100 * share);
}

RowReport compare_rows(const Row& before, const Row& now, Comparison comparison, double tolerance,
                       const stats::Look& look) {
  RowReport report;
  report.name = now.name;
  report.tolerance = tolerance;
  report.baseline_launches = before.launches.size();
  report.launches = now.launches.size();
  report.throughput = stats::median(now.throughputs());
  if (const auto change = changed_between(before, now)) {
    report.verdict = Verdict::changed;
    report.reason = *change;
    return report;
  }
  // An empty loop does not become so much slower than an empty loop: then there is work in it.
  const double longer = median_ns(now, false) / median_ns(before, false);
  const bool both_loops = is_empty_loop(before) && is_empty_loop(now);
  const bool apart =
      both_loops && (longer > most_between_layouts || 1 / longer > most_between_layouts);
  if (const std::string why = measures_nothing(now);
      !why.empty() && !measures_nothing(before).empty() && !apart) {
    report.verdict = Verdict::unavailable;
    report.reason = why;
    return report;
  }
  report.paired = comparison == Comparison::paired;
  report.decision = comparison == Comparison::paired
                        ? decide_pairs(pairs_of(before, now), tolerance, look)
                        : decide_both_views(before, now, tolerance, look);
  report.verdict = report.decision->verdict;
  report.reason = report.decision->reason;
  return report;
}

std::vector<std::vector<Launch>> sessions_of(const Row& row) {
  std::map<double, std::vector<Launch>> sessions;
  for (const Launch& launch : row.launches)
    sessions[launch.counter("session").value_or(0)].push_back(launch);
  std::vector<std::vector<Launch>> in_order;
  for (auto& [session, launches] : sessions) in_order.push_back(std::move(launches));
  return in_order;
}

void judge_across_sessions(RowReport& report, const Row& before,
                           const std::vector<double>& controls, const stats::Look& look) {
  if (!report.decision) return;
  std::vector<double> logs;
  for (const std::vector<Launch>& launches : sessions_of(before))
    logs.push_back(std::log(stats::median(Row{"", launches, {}}.throughputs())));
  auto shift = stats::shift_of_controls(controls);
  if (!shift) shift = stats::shift_of_sessions(logs);
  report.decision =
      across_sessions(*report.decision, shift, device_of(report.name), report.tolerance, look);
  const bool decided = report.verdict != Verdict::undecided;
  report.verdict = report.decision->verdict;
  report.reason = report.decision->reason;
  report.settled = decided && report.verdict == Verdict::undecided;
}

Pairs pairs_of(const Row& before, const Row& now) {
  Pairs pairs;
  pairs.log_ratios = log_ratios_in_turns(now);
  if (pairs.log_ratios.empty()) pairs.log_ratios = log_ratios(before, now, "units_per_second");
  pairs.clock = log_ratios(before, now, "sm_clock_mhz");
  for (const double change : log_ratios(before, now, "reference_version")) {
    if (change != 0) return pairs;
  }
  pairs.reference = log_ratios(before, now, "reference_per_second");
  return pairs;
}

namespace {

/// A counter that is the same in all launches that have it; nothing where none has.
std::optional<double> common(const Row& row, const char* counter) {
  std::optional<double> value;
  for (const Launch& launch : row.launches) {
    const auto one = launch.counter(counter);
    if (one && value && *one != *value) return std::nullopt;
    if (one) value = one;
  }
  return value;
}

}  // namespace

std::string other_device_work(const Row& before, const Row& now) {
  const auto was = common(before, "device_work"), is = common(now, "device_work");
  if (!was || !is || *was == *is) return "";
  constexpr std::pair<const char*, const char*> figures[] = {
      {"kernels", "kernels"},
      {"blocks", "blocks"},
      {"gpu_threads", "threads"},
      {"shared_bytes", "bytes of dynamic shared memory a block"},
      {"transfer_bytes", "bytes copied or set"}};
  std::string text;
  for (const auto& [counter, words] : figures) {
    const auto a = common(before, counter), b = common(now, counter);
    if (a && b && *a != *b)
      text += fmt::format("{}{:.0f} {}, {:.0f} before", text.empty() ? "" : "; ", *b, words, *a);
  }
  return text.empty() ? "kernels of other grids, registers or memory" : text;
}

void say_what_it_launches(RowReport& report, const std::string& launched) {
  const bool moved = report.verdict == Verdict::slower || report.verdict == Verdict::faster;
  if (moved && !launched.empty())
    report.reasons.insert(report.reasons.begin(), "it launches " + launched);
}

void settle_identical_work(RowReport& report) {
  report.identical_work = true;
  report.verdict = Verdict::same;
  report.reason = "identical work";
}

void doubt_displaced(RowReport& report, std::size_t displaced, bool shown) {
  if (displaced == 0) return;
  if (shown) report.remarks.push_back("others held the CPU");
  const bool decided = report.verdict == Verdict::slower || report.verdict == Verdict::faster ||
                       (report.verdict == Verdict::same && !report.identical_work);
  if (report.verdict != Verdict::undecided && !(shown && decided)) return;
  report.verdict = Verdict::undecided;
  report.reason = fmt::format("others held the CPU in {} of {} launches: `ratchet doctor` says who",
                              displaced, shown ? displaced : displaced + report.launches);
}

void doubt_same_code(RowReport& report) {
  report.remarks.push_back("identical machine code");
  if (report.verdict != Verdict::slower && report.verdict != Verdict::faster) return;
  report.reason =
      fmt::format("{} by time, but identical machine code: noise, or the launch changed",
                  to_string(report.verdict));
  report.verdict = Verdict::undecided;
}

}  // namespace ratchet::gate
