#include "perf/measure/doctor/noise.h"

#include <fmt/format.h>

#include <cmath>

#include "perf/stats/paired.h"
#include "perf/stats/quantile.h"
#include "perf/stats/sequential.h"

namespace ratchet::doctor {
namespace {

/// The gate's tolerance of a CPU row (perf/gate/README.md).
constexpr double kTolerance = 0.03;

/// A larger share of preempted passes hurts.
constexpr double kContended = 0.05;

double median_of_part(const std::vector<double>& all, std::size_t from, std::size_t to) {
  return stats::median({all.begin() + static_cast<std::ptrdiff_t>(from),
                        all.begin() + static_cast<std::ptrdiff_t>(to)});
}

}  // namespace

Noise measure_noise(const std::function<timing::Sample()>& pass, const timing::Clock& clock,
                    double seconds, double launch_s) {
  std::vector<double> all, launch, launches;
  std::size_t disturbed = 0;
  const double begin = clock.now();
  double launch_begin = begin;
  while (clock.now() - begin < seconds || all.size() < 3) {
    const timing::Sample sample = pass();
    all.push_back(sample.seconds);
    launch.push_back(sample.seconds);
    disturbed += sample.preemptions > 0;
    if (clock.now() - launch_begin < launch_s) continue;
    launches.push_back(stats::quantile(launch, timing::kCpuQuantile));
    launch.clear();
    launch_begin = clock.now();
  }
  Noise noise;
  noise.passes = all.size();
  noise.stretches = launches.size();
  noise.spread = stats::relative_spread(all);
  const std::size_t third = all.size() / 3;
  noise.drift =
      median_of_part(all, all.size() - third, all.size()) / median_of_part(all, 0, third) - 1;
  noise.disturbed = static_cast<double>(disturbed) / static_cast<double>(all.size());
  // One disturbed launch does not represent the machine.
  if (launches.size() >= 2)
    noise.launches = stats::robust_deviation(launches) / stats::median(launches);
  // Pairs of launches, at the first interim analysis of a one-row run that can reject.
  const stats::Analysis analysis = stats::plan_pairs(1).at(1);
  const double effect = stats::paired_detectable(analysis.launches, std::sqrt(2) * noise.launches,
                                                 analysis.simultaneous_error);
  noise.detectable = 1 - (1 - kTolerance) / (1 + effect);
  return noise;
}

namespace {

/// A scatter of fewer stretches is known to a quarter of itself at best.
constexpr std::size_t kEnoughStretches = 20;

std::string forecast_found(const Noise& noise) {
  std::string text = fmt::format("{:.1f} %", 100 * noise.detectable);
  if (noise.stretches < kEnoughStretches)
    text += fmt::format(", a guess from {} stretches of 0.1 s", noise.stretches);
  return text;
}

/// What makes the forecast better than a gate will find it.
std::string forecast_effect(const Noise& noise) {
  std::string text = "smallest slowdown that gate --base finds in one CPU row in 9 of 10 runs";
  if (noise.stretches < kEnoughStretches) text += "; --seconds 10 tells it better";
  if (noise.disturbed > kContended) text += "; more while other processes contend";
  return text;
}

}  // namespace

std::vector<Diagnosis> check_noise(const Noise& noise) {
  const auto diagnosis = [](const char* check, bool hurts, std::string found, std::string effect) {
    return Diagnosis{check, hurts ? State::hurts : State::ok, std::move(found), std::move(effect),
                     hurts ? "see the other findings above" : ""};
  };
  return {diagnosis("measured: spread", noise.spread > 0.03,
                    fmt::format("{:.2f} % over {} passes", 100 * noise.spread, noise.passes),
                    "of the control workload, interquartile range over median"),
          diagnosis("measured: drift", std::abs(noise.drift) > 0.01,
                    fmt::format("{:+.2f} %", 100 * noise.drift), "last second against first"),
          diagnosis("measured: contended", noise.disturbed > kContended,
                    fmt::format("{:.1f} % of passes", 100 * noise.disturbed),
                    "the kernel preempted the control workload"),
          diagnosis("measured: launches", noise.launches > 0.01,
                    fmt::format("{:.2f} % apart", 100 * noise.launches),
                    "lower quartiles of stretches of 0.1 s; processes differ more"),
          diagnosis("measured: detectable", noise.detectable > 0.05, forecast_found(noise),
                    forecast_effect(noise))};
}

}  // namespace ratchet::doctor
