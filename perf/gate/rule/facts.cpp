#include "perf/gate/rule/facts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/baseline/third_party_json.h"
#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"

namespace ratchet::gate {
namespace {

/// The logarithm of each launch's ratio; empty where a launch lacks it (0).
template <class Ratio>
std::vector<double> logs(std::size_t launches, const Ratio& ratio) {
  std::vector<double> found;
  for (std::size_t i = 0; i < launches; ++i) {
    if (!(ratio(i) > 0)) return {};
    found.push_back(std::log(ratio(i)));
  }
  return found;
}

/// ln(now / before) of a counter, launch by launch.
std::vector<double> log_ratios(const Row& before, const Row& now, const std::string& counter) {
  return logs(std::min(before.launches.size(), now.launches.size()), [&](std::size_t i) {
    const double a = before.launches[i].counter(counter).value_or(0);
    const double b = now.launches[i].counter(counter).value_or(0);
    return a > 0 && b > 0 ? b / a : 0;
  });
}

/// The speed of the control workload in each launch; empty where one of them lacks it.
std::vector<double> reference_of(const Row& row) {
  std::vector<double> speeds;
  for (const Launch& launch : row.launches) {
    const double speed = launch.counter(counter::control_per_second).value_or(0);
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

/// A neighbour that slows the whole machine must not look like a slower stage, nor excuse one.
/// Where both sides ran the control workload, it is a second view.
std::optional<Facts::ByReference> by_reference(const Row& stored, const Row& now, double tolerance,
                                               const stats::Analysis& analysis) {
  const auto version = [](const Row& row) {
    return row.launches.front().counter(counter::control_version);
  };
  const std::vector<double> then_reference = reference_of(stored);
  const std::vector<double> now_reference = reference_of(now);
  if (then_reference.empty() || now_reference.empty() || version(stored) != version(now))
    return std::nullopt;
  return Facts::ByReference{
      decide_stored(over(stored.throughputs(), then_reference),
                    over(now.throughputs(), now_reference), tolerance, analysis),
      stats::ratio_estimate(then_reference, now_reference)};
}

/// A launch's time is the median of its samples, or another quantile that the row states.
double quantile_of(const Row& row) {
  return row.launches.front().counter(counter::centre).value_or(0.5);
}

/// Then it is the mean of them.
bool interleaved(const Row& row) {
  return row.launches.front().counter(counter::slices).has_value();
}

/// The throughput of a figure that is no time or rate, and the same in every launch: nothing
/// scatters. Two equal launches may be chance, and a score may be rounded.
std::optional<double> exact_throughput(const Row& row) {
  const auto kind = figure_kind(row.basis);
  const bool timed = !kind || seconds_in(kind->unit) || kind->unit.find("/s") != std::string::npos;
  const std::size_t least = is_amount(row.basis) ? 3 : 5;
  const std::vector<double> values = row.throughputs();
  if (timed || values.size() < least ||
      std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end())
    return std::nullopt;
  return values.front();
}

/// What makes the figures of a row not comparable: another amount of work a call, or launches
/// summed up in another way.
Reason changed_between(const Row& before, const Row& now, Comparison comparison) {
  if (now.basis != before.basis) return OtherBasis{now.basis, before.basis};
  // Both are known, and are not two times of one CPU (on_one_clock).
  const std::string then = to_string(before.clock), here = to_string(now.clock);
  if (!then.empty() && !here.empty() && then != here)
    return OtherBasis{"by " + here + " time", "by " + then + " time"};
  if (now.units() != before.units() && comparison != Comparison::rows)
    return OtherUnits{now.units(), before.units()};
  if (now.cold() != before.cold() && comparison != Comparison::rows) return OtherCache{now.cold()};
  if (interleaved(now) != interleaved(before)) return OtherInterleaving{interleaved(now)};
  if (quantile_of(now) != quantile_of(before))
    return OtherQuantile{quantile_of(now), quantile_of(before)};
  return {};
}

/// An iteration of Google Benchmark's own loop takes one or two cycles; what takes no longer was
/// removed by the compiler. No CPU makes an iteration in less than the second time.
constexpr double empty_loop_ns = 1, least_turn_ns = 0.1;
/// Of one loop and the same, laid out in another way, and no more.
constexpr double most_between_layouts = 2.5;
/// Reading the clock takes 20 to 50 ns, twice a measurement: a hundredth of this.
constexpr double least_measured_ns = 5000;

double median_ns(const Row& row, bool of_the_whole_run) {
  std::vector<double> times;
  for (const Launch& launch : row.launches) {
    const double calls = static_cast<double>(launch.iterations) *
                         launch.counter(counter::samples).value_or(1);  // by ratchet::timing
    times.push_back(launch.real_ms * 1e6 * (of_the_whole_run ? calls : 1));
  }
  return stats::median(times);
}

/// How many calls an iteration of the loop counts: a program may count them in batches
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
         row.launches.front().counter(counter::kernels).value_or(0) > 0;
}

}  // namespace

std::optional<MeasuresNothing> measures_nothing(const Row& row) {
  if (row.basis.empty() || row.launches.empty() || figure_kind(row.basis)) return std::nullopt;
  const double call = median_ns(row, false), run = median_ns(row, true);
  if (is_empty_loop(row)) return MeasuresNothing{call, true};
  if (run < least_measured_ns && !timed_by_gpu(row)) return MeasuresNothing{run, false};
  return std::nullopt;
}

std::optional<Waits> waits_of(const Row& row) {
  constexpr double waits = 0.5;
  if (row.basis.empty() || row.launches.empty() || figure_kind(row.basis)) return std::nullopt;
  const Clock clock = clock_of(row);
  if (clock != Clock::cpu && clock != Clock::waits) return std::nullopt;
  // The largest: one that waits does so in every launch, one that others keep from its CPU does
  // not.
  double share = 0;
  for (const Launch& launch : row.launches) share = std::max(share, launch.cpu_ms / launch.real_ms);
  if (!(share < waits) && clock == Clock::cpu) return std::nullopt;
  return Waits{clock == Clock::waits, share};
}

namespace {

/// Of rows on a GPU whose launches know the span of their kernels; where that is the row's time,
/// the gaps are in it.
double gaps_ms_of(const Row& row) {
  std::vector<double> gaps;
  for (const Launch& launch : row.launches)
    if (launch.counter(counter::kernels).value_or(0) > 0)
      gaps.push_back(std::max(0.0, launch.counter(counter::span_ms).value_or(0) - launch.real_ms));
  return gaps.empty() ? 0 : stats::median(gaps);
}

Facts::Figures figures_without_gaps(const Row& row) {
  std::vector<double> seconds;
  for (const Launch& launch : row.launches) seconds.push_back(call_ms(launch, clock_of(row)) / 1e3);
  const double throughput = stats::median(row.throughputs());
  const auto modes = stats::two_modes(row.throughputs());
  if (figure_kind(row.basis)) return {throughput, 0, modes};  // a time is the figure itself
  // Of two launches, the median of the times is not the inverse of the median of the rates.
  if (!row.basis.empty() && row.units() > 0) return {throughput, row.units() / throughput, modes};
  return {throughput, stats::median(seconds), modes};
}

}  // namespace

Facts::Figures figures_of(const Row& row) {
  if (row.launches.empty()) return {};
  Facts::Figures figures = figures_without_gaps(row);
  figures.gaps_s = 1e-3 * gaps_ms_of(row);
  return figures;
}

void take_figures(Facts& facts, const Row& now) {
  facts.now = figures_of(now);
  facts.clock = clock_of(now);
  facts.basis = now.basis;
  facts.waits = waits_of(now);
}

Facts absent(const RowId& name, Verdict verdict, Reason reason) {
  Facts facts;
  facts.name = name;
  facts.obstacle = {verdict, std::move(reason)};
  return facts;
}

namespace {

/// Rows of ratchet's own have one clock: on_one_clock() would copy both as they are.
bool of_one_clock(const Row& before, const Row& now) {
  return before.basis.empty() || now.basis.empty();
}

/// Of the work of a call; times a ratio of times it is one of rates.
double work_ratio(const Row& before, const Row& now) {
  return now.units() > 0 && before.units() > 0 ? now.units() / before.units() : 1;
}

Pairs pairs_on_one_clock(const Row& before, const Row& now) {
  Pairs pairs;
  const double work = work_ratio(before, now);
  // Of interleaved pairs, which were compared sample by sample.
  pairs.log_ratios = logs(now.launches.size(), [&](std::size_t i) {
    return now.launches[i].counter(counter::interleaved_ratio).value_or(0) * work;
  });
  if (pairs.log_ratios.empty())
    pairs.log_ratios = log_ratios(before, now, counter::units_per_second);
  pairs.clock = log_ratios(before, now, counter::sm_clock_mhz);
  for (const double change : log_ratios(before, now, counter::control_version)) {
    if (change != 0) return pairs;
  }
  pairs.reference = log_ratios(before, now, counter::control_per_second);
  return pairs;
}

/// ratchet's own rows alone state the CPU time of all threads.
bool has_threads(const Row& row) {
  return row.basis.empty() && !row.launches.empty() && row.name.device() == Device::cpu &&
         clock_of(row) == Clock::wall &&
         std::all_of(row.launches.begin(), row.launches.end(), [](const Launch& launch) {
           return launch.counter(counter::slices) && !launch.counter(counter::one_cpu);
         });
}

}  // namespace

Pairs pairs_of_cpu_time(const Row& before, const Row& now) {
  if (!has_threads(before) || !has_threads(now)) return {};
  Pairs pairs = pairs_on_one_clock(before, now);
  const double work = work_ratio(before, now);
  pairs.log_ratios =
      logs(std::min(before.launches.size(), now.launches.size()), [&](std::size_t i) {
        const double then = before.launches[i].cpu_ms, here = now.launches[i].cpu_ms;
        return then > 0 && here > 0 ? then / here * work : 0;
      });
  return pairs;
}

namespace {

Facts facts_on_one_clock(const Row& before, const Row& now, Comparison comparison, double tolerance,
                         const stats::Analysis& analysis) {
  Facts facts;
  facts.name = now.name;
  facts.tolerance = tolerance;
  facts.baseline_launches = before.launches.size();
  facts.launches = now.launches.size();
  facts.before = figures_of(before);
  take_figures(facts, now);
  facts.changed = changed_between(before, now, comparison);
  facts.nothing = measures_nothing(now);
  // An empty loop does not become so much slower than an empty loop: then there is work in it.
  const double longer = median_ns(now, false) / median_ns(before, false);
  const bool both_loops = is_empty_loop(before) && is_empty_loop(now);
  const bool apart =
      both_loops && (longer > most_between_layouts || 1 / longer > most_between_layouts);
  facts.nothing_before = measures_nothing(before).has_value() && !apart;
  facts.launched = other_device_work(before, now);
  if (is_given(facts.changed) || (facts.nothing && facts.nothing_before)) return facts;
  facts.paired = comparison != Comparison::stored;
  if (decide_if_exact(facts, before, now)) return facts;
  if (facts.paired) {
    facts.by_launches = decide_pairs(pairs_on_one_clock(before, now), tolerance, analysis);
    if (const Pairs by_cpu = pairs_of_cpu_time(before, now); !by_cpu.log_ratios.empty())
      facts.by_cpu_time = decide_pairs(by_cpu, tolerance, analysis);
    return facts;
  }
  facts.by_launches = decide_stored(before.throughputs(), now.throughputs(), tolerance, analysis);
  facts.by_reference = by_reference(before, now, tolerance, analysis);
  return facts;
}

}  // namespace

bool decide_if_exact(Facts& facts, const Row& before, const Row& now) {
  const auto was = exact_throughput(before), is = exact_throughput(now);
  facts.exact = was && is;
  if (facts.exact) facts.by_launches = decide_exact(*was, *is, facts.tolerance);
  return facts.exact;
}

Facts facts_of(const Row& one, const Row& other, Comparison comparison, double tolerance,
               const stats::Analysis& analysis) {
  if (of_one_clock(one, other))
    return facts_on_one_clock(one, other, comparison, tolerance, analysis);
  // Of two builds the clock of the new one counts; of two rows wall time, whichever comes first.
  if (comparison == Comparison::rows && clock_of(one) != Clock::cpu) {
    const auto [now, before] = on_one_clock(other, one);
    return facts_on_one_clock(before, now, comparison, tolerance, analysis);
  }
  const auto [before, now] = on_one_clock(one, other);
  return facts_on_one_clock(before, now, comparison, tolerance, analysis);
}

std::vector<std::vector<Launch>> occasions_of(const Row& row) {
  std::map<double, std::vector<Launch>> occasions;
  for (const Launch& launch : row.launches)
    occasions[launch.counter(counter::occasion).value_or(0)].push_back(launch);
  std::vector<std::vector<Launch>> in_order;
  for (auto& [occasion, launches] : occasions) in_order.push_back(std::move(launches));
  return in_order;
}

std::optional<stats::OccasionShift> shift_between_occasions(const Row& before,
                                                            const std::vector<double>& controls) {
  std::vector<double> logs;
  for (const std::vector<Launch>& launches : occasions_of(before))
    logs.push_back(std::log(stats::median(Row{"", launches, {}}.throughputs())));
  const auto shift = stats::shift_of_controls(controls);
  return shift ? shift : stats::shift_of_occasions(logs);
}

Pairs pairs_of(const Row& one, const Row& other) {
  if (of_one_clock(one, other)) return pairs_on_one_clock(one, other);
  const auto [before, now] = on_one_clock(one, other);
  return pairs_on_one_clock(before, now);
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

std::optional<OtherDeviceWork> other_device_work(const Row& before, const Row& now) {
  const auto was = common(before, "device_work"), is = common(now, "device_work");
  if (!was || !is || *was == *is) return std::nullopt;
  constexpr std::pair<const char*, const char*> figures[] = {
      {"kernels", "kernels"},
      {"blocks", "blocks"},
      {"gpu_threads", "threads"},
      {"shared_bytes", "bytes of dynamic shared memory a block"},
      {"transfer_bytes", "bytes copied or set"}};
  OtherDeviceWork work;
  for (const auto& [counter, words] : figures) {
    const auto a = common(before, counter), b = common(now, counter);
    if (a && b && *a != *b) work.figures.push_back({words, *b, *a});
  }
  return work;
}

bool is_identical_work(const Facts& facts) {
  return facts.same_work && !facts.obstacle && !is_given(facts.changed);
}

bool is_shown(const Decision& decision, double other_ratio) {
  const auto& bounds = decision.per_comparison;
  return bounds && (bounds->low > other_ratio || bounds->high < other_ratio);
}

namespace {

/// Whether the row's own launches exclude `centre`, the mean ln(now / before) of the other rows.
bool lies_apart(const Facts& row, double centre) {
  if (!row.in_other_program) return is_shown(*row.by_launches, std::exp(centre));
  return std::log(row.in_other_program->high) < centre - row.tolerance ||
         std::log(row.in_other_program->low) > centre + row.tolerance;
}

}  // namespace

void find_layouts(std::vector<Facts>& rows) {
  std::map<Device, std::vector<Facts*>> by_device;
  constexpr std::size_t least = 3;  // what one launch alone shows may be a neighbour's doing
  constexpr std::size_t least_others = 3;
  // A third-party row of the identical program lies where it lay.
  for (Facts& row : rows)
    if (is_identical_work(row) && (row.basis.empty() || row.in_other_program) && row.by_launches &&
        !figure_kind(row.basis) && std::min(row.launches, row.baseline_launches) >= least)
      by_device[row.name.device()].push_back(&row);
  for (const auto& [device, alike] : by_device) {
    for (Facts* row : alike) {
      std::vector<double> others;
      for (const Facts* other : alike)
        if (other != row) others.push_back(std::log(other->by_launches->ratio));
      const auto shift = stats::shift_of_controls(others, least_others);
      if (!shift) continue;
      const double beyond = std::log(row->by_launches->ratio) - shift->centre;
      const double error = stats::kFalseAlarms / static_cast<double>(2 * alike.size());
      if (std::fabs(beyond) > std::max(stats::reach(*shift, error), row->tolerance) &&
          lies_apart(*row, shift->centre))
        row->layout = Layout{std::expm1(beyond), row->launches};
    }
  }
}

}  // namespace ratchet::gate
