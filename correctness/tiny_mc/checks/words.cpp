// Whether photons share random words, by the steps and directions of a trace. Whether one uses a
// word twice, by the words that the trace keeps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/poisson.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

/// A word is known to the last of so many bits, within what float rounding leaves of a step or of a
/// direction.
constexpr unsigned kBits = 12;
/// Words in a row that make a run: 48 bits.
constexpr std::size_t kRun = 4;
/// Collisions of a photon that are looked at.
constexpr std::size_t kMost = 16;

/// The uniforms that may have made a collision's step and the direction before it, between 0 and 1:
/// whatever the axis that a stage turns about, and whichever coordinate it calls the cosine. The
/// radial walk has the first two alone.
constexpr std::size_t kUniforms = 7, kRadialUniforms = 2;
std::array<double, kUniforms> uniforms_of(const Collision& at) {
  const auto turn = [](double sine, double cosine) {
    const double turns = std::atan2(sine, cosine) / (2 * std::numbers::pi);
    return turns < 0 ? turns + 1 : turns;
  };
  return {std::exp(-static_cast<double>(at.step)),
          (1 + static_cast<double>(at.w)) / 2,
          (1 + static_cast<double>(at.u)) / 2,
          turn(at.v, at.w),
          turn(at.w, at.v),
          turn(at.u, at.v),
          turn(at.v, at.u)};
}

/// The runs of one photon, as whole numbers, added to `runs`.
void add_runs(std::span<const Collision> path, std::size_t kinds,
              std::vector<std::uint64_t>& runs) {
  const std::size_t length = std::min(path.size(), kMost);
  std::array<std::array<double, kUniforms>, kMost> uniforms;
  for (std::size_t k = 0; k < length; ++k) uniforms[k] = uniforms_of(path[k]);
  for (std::size_t kind = 0; kind < kinds; ++kind)
    // All photons leave in one direction: the first is not drawn.
    for (std::size_t first = kind == 0 ? 0 : 1; first + kRun <= length; ++first) {
      std::uint64_t run = 0;
      for (std::size_t k = first; k < first + kRun; ++k) {
        const double uniform = std::clamp(uniforms[k][kind], 0.0, 1 - 0x1p-20);
        run = run << kBits | static_cast<std::uint64_t>(uniform * (1 << kBits));
      }
      runs.push_back(run);
    }
}

/// Runs that occur twice under a correct stage come in sets, each of one cause: how many sets are
/// expected, and how many runs one has at most.
struct ByChance {
  double sets = 0, most_of_a_set = 1;
};

/// Single runs, of words that are random.
ByChance coincidences(double runs) {
  return {.sets = runs * runs / 2 * std::pow(2.0, -static_cast<double>(kBits * kRun))};
}

/// The text's generator is four xorshifts of 32 bits a thread, all on one cycle of 2^32 - 1 words:
/// of S streams of L words S^2 L / 2^32 pairs overlap, three streams a thread being seen.
ByChance overlaps(const Trace& trace, std::uint64_t photons_per_thread, double runs) {
  const double threads =
      std::ceil(static_cast<double>(trace.photons) / static_cast<double>(photons_per_thread));
  const double words =
      std::accumulate(trace.collisions.begin(), trace.collisions.end(), 0.0) / threads;
  return {.sets = 9 * threads * threads * words * 0x1p-32, .most_of_a_set = runs / 3 / threads};
}

bool has_the_texts_words(const PhotonStage& stage) {
  constexpr std::array kNames = {"03_global_heat", "04_three_level", "06_rejection",
                                 "06b_rejection_one_loop", "07_half_warps"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* name) {
    return stage.info().name == std::string("tiny_mc/cuda/") + name;
  });
}

}  // namespace

correctness::TestResult check_shared_words(const Trace& trace, const PhotonStage& stage,
                                           const Parameters& parameters) {
  const std::size_t kinds = stage.walk() == Walk::radial ? kRadialUniforms : kUniforms;
  std::vector<std::uint64_t> runs;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon)
    add_runs(trace.of(photon), kinds, runs);
  std::sort(runs.begin(), runs.end());
  std::uint64_t equal = 0;
  for (std::size_t i = 1; i < runs.size(); ++i) equal += runs[i] == runs[i - 1];
  const double n = static_cast<double>(runs.size());
  const ByChance chance =
      has_the_texts_words(stage)
          ? overlaps(trace, parameters.at("photons_per_thread"), n / static_cast<double>(kinds) * 3)
          : coincidences(n);
  const double sets = std::ceil(static_cast<double>(equal) / chance.most_of_a_set);
  const double p = equal == 0 ? 1 : cdf(complement(boost::math::poisson(chance.sets), sets - 1));
  return {"words shared by photons",
          fmt::format("{} of {} runs of {} words occur twice; {:.2g} times at most {:.0f} expected",
                      equal, runs.size(), kRun, chance.sets, chance.most_of_a_set),
          p,
          fmt::format("{:.2g} % of the runs",
                      100 * (chance.sets + 20) * chance.most_of_a_set / std::max(1.0, n))};
}

correctness::TestResult check_words_used_once(const Trace& trace) {
  std::uint64_t words = 0, equal = 0;
  double pairs = 0;
  std::vector<std::uint32_t> used;
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    used.clear();
    for (const Collision& at : trace.of(photon)) {
      used.push_back(at.step_word);
      used.insert(used.end(), at.direction_word, at.direction_word + at.direction_words);
      if (at.roulettes > 0) used.push_back(at.roulette_word);
    }
    std::sort(used.begin(), used.end());
    for (std::size_t i = 1; i < used.size(); ++i) equal += used[i] == used[i - 1];
    const double n = static_cast<double>(used.size());
    pairs += n * (n - 1) / 2;
    words += used.size();
  }
  const double chance = pairs * 0x1p-32;
  const double p =
      equal == 0 ? 1
                 : cdf(complement(boost::math::poisson(chance), static_cast<double>(equal) - 1));
  return {"words used twice",
          fmt::format("{} of {} words of a photon occur twice in it; {:.2g} by chance", equal,
                      words, chance),
          words > 0 ? p : 0,
          fmt::format("{:.2g} % of the photons",
                      100 * (chance + 20) /
                          static_cast<double>(std::max<std::uint64_t>(1, trace.photons)))};
}

}  // namespace ratchet::tiny_mc
