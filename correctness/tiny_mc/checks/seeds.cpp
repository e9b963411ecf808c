// Photons of related seeds have nothing to do with each other.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <vector>

#include "correctness/support/related_seeds.h"
#include "correctness/support/statistics.h"
#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::ZScan;

// All photons make 73 collisions and more before their first roulette.
constexpr std::uint64_t kPhotons = 1'024;
constexpr std::uint32_t kCollisions = 32;
/// Four streams of a stage on a CPU: of a seed and the three after it some are others' where seed
/// and stream are added.
constexpr std::uint64_t kPhotonsOfStreams = 8'192, kNeighbours = 4;

/// Of each collision a figure of mean 0 and variance 1; not of a photon's first, whose direction
/// may be fixed.
using Figures = std::vector<float>;

Figures figures_of(const Trace& trace, const std::function<float(const Collision&)>& figure) {
  Figures figures;
  figures.reserve(trace.collision.size());
  for (std::size_t i = 0; i < trace.collision.size(); ++i)
    if (i % trace.capacity != 0) figures.push_back(figure(trace.collision[i]));
  return figures;
}

/// The sum of products of two seeds' figures at the same place, in standard deviations.
double covariance(const Figures& a, const Figures& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum / std::sqrt(static_cast<double>(a.size()));
}

TestResults unrelated(const std::string& what, const std::vector<std::uint64_t>& seeds,
                      const std::vector<Figures>& figures) {
  ZScan scan(what + " of two related seeds");
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::size_t j = i + 1; j < seeds.size(); ++j)
      scan.add(covariance(figures[i], figures[j]),
               fmt::format("seeds {:#x} and {:#x}", seeds[i], seeds[j]));
  const double unit = 1 / std::sqrt(static_cast<double>(figures.front().size()));
  return scan.tests(unit, "correlation of two seeds");
}

}  // namespace

TestResults check_related_seeds(const PhotonStage& stage) {
  const std::vector<std::uint64_t> seeds = correctness::related_seeds();
  std::vector<Figures> steps, cosines;
  Trace all;
  all.capacity = kCollisions;
  for (const std::uint64_t seed : seeds) {
    const Trace trace = stage.trace(parameters_for(stage, kPhotons, seed), kCollisions);
    steps.push_back(figures_of(trace, [](const Collision& c) { return c.step - 1; }));
    cosines.push_back(figures_of(trace, [](const Collision& c) { return c.w * std::sqrt(3.0f); }));
    all += trace;
  }
  TestResults tests = unrelated("steps", seeds, steps);
  Trace neighbours;
  neighbours.capacity = kCollisions;
  for (std::uint64_t i = 0; i < kNeighbours; ++i)
    neighbours +=
        stage.trace(parameters_for(stage, kPhotonsOfStreams, seeds.front() + i), kCollisions);
  for (const auto& more :
       {unrelated("directions", seeds, cosines), check_repeats(all), check_repeats(neighbours)})
    tests.insert(tests.end(), more.begin(), more.end());
  return tests;
}

}  // namespace ratchet::tiny_mc
