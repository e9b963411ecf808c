// Steps and directions of a trace against their laws.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "correctness/support/paths.h"
#include "correctness/support/statistics.h"
#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;
using correctness::TestResult;
using correctness::ZScan;

/// Sum of numbers of mean 0 and a known standard deviation.
struct Sum {
  double sum = 0, n = 0;
  void add(double value) {
    sum += value;
    ++n;
  }
  double z(double sd) const { return sum / (sd * std::sqrt(n)); }
};

/// Counts in equal bins of (0, 1).
class Bins {
 public:
  explicit Bins(std::size_t bins) : count_(bins), law_(bins, 1.0 / static_cast<double>(bins)) {}
  void add(double uniform) {
    const double bins = static_cast<double>(count_.size());
    ++count_[static_cast<std::size_t>(std::clamp(uniform * bins, 0.0, bins - 1))];
    ++n_;
  }
  TestResult test(const std::string& test) const {
    const auto fit = correctness::goodness_of_fit(count_, law_);
    const double noncentrality = correctness::detectable_noncentrality(std::max(1.0, fit.degrees));
    return {test,
            fmt::format("chi-square {:.1f}, G {:.1f}, {} degrees of freedom", fit.chi_square, fit.g,
                        fit.degrees),
            fit.p,
            fmt::format("density off by {:.2g} % in the mean square",
                        100 * std::sqrt(noncentrality / n_))};
  }

 private:
  std::vector<std::uint64_t> count_;
  std::vector<double> law_;
  double n_ = 0;
};

/// Distances at which neighbours are compared: collisions on within a photon, photons on.
constexpr std::size_t kCollisionLags[] = {1, 2, 3};
constexpr std::uint64_t kPhotonLags[] = {1, 2, 8, 16, 32};

/// f(one, other) of each pair of collisions of one photon `lag` apart; collisions from `first` on.
template <class F>
void pairs_in_photons(const Trace& trace, std::size_t first, std::size_t lag, F f) {
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    const auto path = trace.of(photon);
    for (std::size_t k = first; k + lag < path.size(); ++k) f(path[k], path[k + lag]);
  }
}

/// f(one, other) of collision k of photons `lag` apart.
template <class F>
void pairs_across_photons(const Trace& trace, std::size_t first, std::uint64_t lag, F f) {
  for (std::uint64_t photon = 0; photon + lag < trace.photons; ++photon) {
    const auto path = trace.of(photon), other = trace.of(photon + lag);
    for (std::size_t k = first; k < std::min(path.size(), other.size()); ++k) f(path[k], other[k]);
  }
}

std::uint64_t kept(const Trace& trace) {
  std::uint64_t total = 0;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) total += trace.of(photon).size();
  return total;
}

std::array<double, 3> cosines(const Collision& c) { return {c.u, c.v, c.w}; }
constexpr const char* kNames[] = {"u", "v", "w"};

/// Variances of a cosine, of its square and of a product of two, of a direction uniform on the
/// sphere.
constexpr double kVariance = 1.0 / 3, kSquareVariance = 4.0 / 45, kProductVariance = 1.0 / 15;
constexpr double kDifferenceVariance = 4.0 / 15;  // of the difference of two squares

TestResults scan_moments(const Trace& trace, std::size_t first_axis) {
  Sum mean[3], square, difference, product[3], with_step[3];
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    const auto path = trace.of(photon);
    for (std::size_t k = 1; k < path.size(); ++k) {
      const auto d = cosines(path[k]);
      for (std::size_t i = first_axis; i < 3; ++i) {
        mean[i].add(d[i]);
        product[i].add(d[i] * d[(i + 1) % 3]);
        with_step[i].add(d[i] * (path[k].step - 1));
      }
      const double first = d[first_axis] * d[first_axis];
      square.add(first - 1.0 / 3);
      difference.add(d[1] * d[1] - d[2] * d[2]);
    }
  }
  ZScan scan("moments of directions");
  // The three squares add up to 1: two numbers that are uncorrelated say all.
  scan.add(square.z(std::sqrt(kSquareVariance)), fmt::format("{}^2", kNames[first_axis]));
  if (first_axis == 0) scan.add(difference.z(std::sqrt(kDifferenceVariance)), "v^2 - w^2");
  for (std::size_t i = first_axis; i < 3; ++i) {
    scan.add(mean[i].z(std::sqrt(kVariance)), fmt::format("mean of {}", kNames[i]));
    scan.add(with_step[i].z(std::sqrt(kVariance)), fmt::format("{} with the step", kNames[i]));
    if (first_axis == 0)
      scan.add(product[i].z(std::sqrt(kProductVariance)),
               fmt::format("{}{}", kNames[i], kNames[(i + 1) % 3]));
  }
  return scan.tests(std::sqrt(kVariance / std::max(1.0, mean[2].n)), "bias of a mean cosine");
}

TestResults scan_autocorrelation(const Trace& trace, std::size_t first_axis) {
  ZScan scan("autocorrelation of directions");
  double pairs = 1;
  const auto lag = [&](const std::string& name, auto&& visit) {
    Sum sums[3][3];
    visit([&](const Collision& one, const Collision& other) {
      const auto a = cosines(one), b = cosines(other);
      for (std::size_t i = first_axis; i < 3; ++i)
        for (std::size_t j = first_axis; j < 3; ++j) sums[i][j].add(a[i] * b[j]);
    });
    pairs = std::max(pairs, sums[2][2].n);
    for (std::size_t i = first_axis; i < 3; ++i)
      for (std::size_t j = first_axis; j < 3; ++j)
        if (sums[i][j].n > 0)
          scan.add(sums[i][j].z(kVariance), fmt::format("{}{}, {}", kNames[i], kNames[j], name));
  };
  for (const std::size_t d : kCollisionLags)
    lag(fmt::format("{} collisions on", d), [&](auto f) { pairs_in_photons(trace, 1, d, f); });
  for (const std::uint64_t d : kPhotonLags)
    lag(fmt::format("{} photons on", d), [&](auto f) { pairs_across_photons(trace, 1, d, f); });
  return scan.tests(1 / std::sqrt(pairs), "correlation of two cosines");
}

/// Each cosine is uniform on (-1, 1); so is the angle of any two on the circle.
TestResults shapes(const Trace& trace, std::size_t first_axis) {
  std::vector<Bins> cosine(3, Bins(128)), angle(3, Bins(128));
  double longest = 0;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    const auto path = trace.of(photon);
    for (std::size_t k = 1; k < path.size(); ++k) {
      const auto d = cosines(path[k]);
      const double off = std::fabs(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - 1);
      if (!(off <= longest)) longest = off;  // NaN stays
      for (std::size_t i = first_axis; i < 3; ++i) {
        cosine[i].add(std::isnan(d[i]) ? 0 : (d[i] + 1) / 2);
        angle[i].add(
            std::isnan(d[i]) ? 0 : std::atan2(d[i], d[(i + 1) % 3]) / (2 * std::numbers::pi) + 0.5);
      }
    }
  }
  TestResults tests;
  for (std::size_t i = first_axis; i < 3; ++i)
    tests.push_back(cosine[i].test(fmt::format("distribution of {}", kNames[i])));
  if (first_axis != 0) return tests;
  for (std::size_t i = 0; i < 3; ++i)
    tests.push_back(
        angle[i].test(fmt::format("angle of {} and {}", kNames[i], kNames[(i + 1) % 3])));
  tests.push_back(exact("unit directions", longest < 1e-5,
                        fmt::format("squared length off by {:.2g} at most", longest)));
  return tests;
}

}  // namespace

TestResults check_steps(const Trace& trace) {
  Sum mean, square;
  Bins shape(256);
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon)
    for (const Collision& collision : trace.of(photon)) {
      const double t = collision.step;
      mean.add(t - 1);
      square.add(t * t - 4 * t + 2);  // uncorrelated with t
      shape.add(std::isnan(t) ? 0 : std::exp(-t));
    }
  ZScan scan("steps");
  scan.add(mean.z(1), "mean");
  scan.add(square.z(2), "square");
  const auto lag = [&](const std::string& name, auto&& visit) {
    Sum sum;
    visit([&](const Collision& a, const Collision& b) {
      sum.add((double{a.step} - 1) * (double{b.step} - 1));
    });
    if (sum.n > 0) scan.add(sum.z(1), name);
  };
  for (const std::size_t d : kCollisionLags)
    lag(fmt::format("{} collisions on", d), [&](auto f) { pairs_in_photons(trace, 0, d, f); });
  for (const std::uint64_t d : kPhotonLags)
    lag(fmt::format("{} photons on", d), [&](auto f) { pairs_across_photons(trace, 0, d, f); });
  TestResults tests = scan.tests(1 / std::sqrt(std::max(1.0, mean.n)), "bias of the mean step");
  tests.push_back(shape.test("distribution of steps"));
  return tests;
}

TestResults check_long_steps(const Trace& trace) {
  constexpr double kShortest = 8;       // 2^24 exp(-8) = 5628: a step of the grid is 4e-4 of it
  constexpr double kFromTheGrid = 0.1;  // a float's step of 8 to 17 leaves 0.02
  std::uint64_t steps = 0, wrong = 0;
  double farthest = 0, where = 0;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon)
    for (const Collision& collision : trace.of(photon)) {
      if (collision.step < kShortest) continue;
      const double multiple = 0x1p24 * std::exp(-double{collision.step});
      const double off = std::fabs(multiple - (2 * std::floor(multiple / 2) + 1));
      ++steps;
      wrong += off > kFromTheGrid;
      if (off > farthest) farthest = off, where = collision.step;
    }
  return {exact("long steps", steps > 0 && wrong == 0,
                fmt::format("{} of {} from no uniform, the farthest {:.2g} of a multiple at {}",
                            wrong, steps, farthest, where))};
}

TestResults check_directions(const Trace& trace, Walk walk) {
  const std::size_t first_axis = walk == Walk::full ? 0 : 2;
  if (kept(trace) <= trace.photons) return {exact("directions", false, "no second steps")};
  TestResults tests = scan_moments(trace, first_axis);
  append(tests, scan_autocorrelation(trace, first_axis));
  append(tests, shapes(trace, first_axis));
  return tests;
}

TestResults check_trace(const PhotonStage& stage, std::uint64_t photons, std::uint64_t seed) {
  const Parameters parameters = parameters_for(stage, photons, seed);
  const Medium medium = medium_of(parameters);
  const Trace trace = stage.trace(parameters, schedule_of(medium).collisions_through(1));
  TestResults tests{exact("photons of the trace", trace.photons == photons,
                          fmt::format("{} of {} photons", trace.photons, photons))};
  append(tests, check_paths(trace, medium, stage.walk()));
  append(tests, check_collisions(trace, medium));
  append(tests, check_steps(trace));
  if (computes_on_cpu(stage)) append(tests, check_long_steps(trace));
  append(tests, check_directions(trace, stage.walk()));
  append(tests, check_draws(trace, medium));
  tests.push_back(check_words_used_once(trace));
  append(tests, check_repeats(trace));
  tests.push_back(check_shared_words(trace, stage, parameters));
  return tests;
}

}  // namespace ratchet::tiny_mc
