#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "correctness/support/statistics.h"
#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;

/// The walk that a trace's steps and directions make, in double precision, and how far a float
/// computation of it may have drifted.
class Replay {
 public:
  explicit Replay(Walk walk) : walk_(walk) {}

  /// After collision `k`.
  void step(const Collision& collision, bool first) {
    const double t = collision.step;
    if (walk_ == Walk::full) {
      x_ += t * collision.u;
      y_ += t * collision.v;
      z_ += t * collision.w;
      radius2_ = x_ * x_ + y_ * y_ + z_ * z_;
    } else {
      // At the centre every direction leads outward.
      radius2_ += t * t + 2 * std::sqrt(radius2_) * t * (first ? 1 : collision.w);
    }
    // A float and its operations are good to 6e-8 each; some ten of them on numbers of the size of
    // the square of the farthest point so far.
    farthest2_ = std::max({farthest2_, radius2_, t * t});
    drift2_ += 4e-7 * farthest2_;
  }
  double radius() const { return std::sqrt(std::max(0.0, radius2_)); }
  double drift() const {
    return std::min(std::sqrt(drift2_), drift2_ / std::max(radius(), 1e-9)) + 1e-6 * radius();
  }

 private:
  Walk walk_;
  double x_ = 0, y_ = 0, z_ = 0, radius2_ = 0, farthest2_ = 0, drift2_ = 0;
};

struct PathCounts {
  std::uint64_t collisions = 0, bad_steps = 0, wrong_shells = 0, unclear = 0;
  std::string first;
};

void compare(const Collision& collision, const Replay& replay, const Medium& medium,
             PathCounts& counts, std::uint64_t photon) {
  const double scale = medium.shells_per_mean_free_path();
  const auto shell_at = [&](double radius) {
    return static_cast<std::uint32_t>(
        std::clamp(std::floor(radius * scale), 0.0, medium.shells - 1.0));
  };
  const std::uint32_t low = shell_at(replay.radius() - replay.drift());
  const std::uint32_t high = shell_at(replay.radius() + replay.drift());
  if (low != high) ++counts.unclear;
  if (collision.shell >= low && collision.shell <= high) return;
  if (counts.wrong_shells++ == 0)
    counts.first = fmt::format("; first: photon {} in shell {} at {:.6f} shells", photon,
                               collision.shell, replay.radius() * scale);
}

PathCounts follow(const Trace& trace, const Medium& medium, Walk walk) {
  PathCounts counts;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    Replay replay(walk);
    bool first = true;
    for (const Collision& collision : trace.of(photon)) {
      ++counts.collisions;
      // Written so that NaN counts. Float logarithms give 0 for the uniforms next to 1.
      if (!(collision.step >= 0 && collision.step < 100)) {
        ++counts.bad_steps;
        break;
      }
      replay.step(collision, first);
      compare(collision, replay, medium, counts, photon);
      first = false;
    }
  }
  return counts;
}

}  // namespace

TestResults check_paths(const Trace& trace, const Medium& medium, Walk walk) {
  const PathCounts counts = follow(trace, medium, walk);
  const double unclear =
      static_cast<double>(counts.unclear) / std::max<double>(1, counts.collisions);
  return {exact("finite steps", counts.collisions > 0 && counts.bad_steps == 0,
                fmt::format("{} of {} steps infinite, NaN or negative", counts.bad_steps,
                            counts.collisions)),
          exact("shells of the steps", counts.wrong_shells == 0,
                fmt::format("{} of {} collisions in another shell than the steps lead to{}",
                            counts.wrong_shells, counts.collisions, counts.first)),
          // Otherwise the test above would compare nothing.
          exact("shells decided", unclear < 0.05,
                fmt::format("{:.3g} % too near a border to tell", 100 * unclear))};
}

namespace {

/// Of photons so far apart, whose draws come from one row of words, or from one lane.
TestResults neighbours_survive_alone(const Trace& trace, const Schedule& schedule) {
  const double s = schedule.survival;
  const auto centred = [&](std::uint64_t photon) {
    return (trace.collisions[photon] > schedule.collisions_through(0)) - s;
  };
  correctness::ZScan scan("survival of neighbours");
  for (const std::uint64_t lag : {1, 2, 4, 8, 16, 32}) {
    if (trace.photons <= lag) break;
    double sum = 0;
    for (std::uint64_t photon = 0; photon + lag < trace.photons; ++photon)
      sum += centred(photon) * centred(photon + lag);
    scan.add(sum / (s * (1 - s) * std::sqrt(static_cast<double>(trace.photons - lag))),
             fmt::format("{} photons on", lag));
  }
  return scan.tests(1 / std::sqrt(static_cast<double>(std::max<std::uint64_t>(1, trace.photons))),
                    "correlation of two survivals");
}

}  // namespace

TestResults check_collisions(const Trace& trace, const Medium& medium) {
  const Schedule schedule = schedule_of(medium);
  const std::vector<double> law = ending_law(schedule);
  std::vector<std::uint64_t> ended(law.size());
  std::set<std::uint32_t> others;
  for (const std::uint32_t made : trace.collisions) {
    std::size_t round = 0;
    while (round < law.size() && schedule.collisions_through(round) != made) ++round;
    if (round < law.size())
      ++ended[round];
    else
      others.insert(made);
  }
  TestResults tests{
      exact("numbers of collisions", others.empty(),
            others.empty()
                ? fmt::format("{}, {}, {}, ... only", schedule.collisions_through(0),
                              schedule.collisions_through(1), schedule.collisions_through(2))
                : fmt::format("{} other numbers, {} the lowest", others.size(), *others.begin()))};
  const double n = static_cast<double>(trace.photons);
  const auto fit = correctness::goodness_of_fit(ended, law, 50);
  const double s = schedule.survival;
  tests.push_back(
      {"survival of roulette",
       fmt::format("chi-square {:.1f}, G {:.1f}, {} degrees of freedom", fit.chi_square, fit.g,
                   fit.degrees),
       fit.p,
       fmt::format("survival off by {:.2g} of {:.2g}",
                   std::sqrt(correctness::detectable_noncentrality(std::max(1.0, fit.degrees)) * s *
                             (1 - s) / n),
                   s)});
  append(tests, neighbours_survive_alone(trace, schedule));
  return tests;
}

TestResults check_repeats(const Trace& trace) {
  constexpr std::size_t kRun = 4;  // of 23 random bits each
  std::vector<std::array<float, kRun>> runs;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    const auto path = trace.of(photon);
    for (std::size_t k = 0; k + kRun <= std::min<std::size_t>(path.size(), 64); ++k)
      runs.push_back({path[k].step, path[k + 1].step, path[k + 2].step, path[k + 3].step});
  }
  std::sort(runs.begin(), runs.end());
  std::size_t equal = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) equal += runs[i] == runs[i - 1];
  return {exact("repeated steps", !runs.empty() && equal == 0,
                fmt::format("{} of {} runs of four steps occur twice", equal, runs.size()))};
}

}  // namespace ratchet::tiny_mc
