// Means by theory, spreads by the reference.
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "correctness/tiny_mc/checks/checks.h"
#include "correctness/tiny_mc/checks/transport.h"
#include "reference/tiny_mc.h"

namespace ratchet::tiny_mc {
namespace {

/// So many equal photons must carry a bin's sum, by Kish's (sum x)^2 / sum x^2: its sd is then
/// known to a few percent.
constexpr double kCarriers = 400;
/// Work of one reference simulation, in collisions: a quarter of a second.
constexpr double kCollisions = 3e6;
constexpr double kFewestPhotons = 2000;

/// Moments over photons.
struct Moments {
  double sum = 0, squares = 0;
  double deposits = 0;  ///< how many made up the sum
  void add(double x, double from_deposits = 1) {
    sum += x;
    squares += x * x;
    deposits += from_deposits;
  }
  double carriers() const { return squares > 0 ? sum * sum / squares : 0; }
  double sd(double n) const { return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n))); }
};

/// What the reference's photons leave in each bin of heat and of heat^2.
struct Spread {
  std::vector<Moments> heat, heat2;
  Moments mean_shell;
  double photons = 0;
};

/// Which bin a shell belongs to.
using BinOf = std::vector<std::uint32_t>;

BinOf bins_of(const std::vector<std::uint32_t>& first) {
  BinOf bins(first.back());
  for (std::size_t bin = 0; bin + 1 < first.size(); ++bin)
    for (std::uint32_t shell = first[bin]; shell < first[bin + 1]; ++shell)
      bins[shell] = static_cast<std::uint32_t>(bin);
  return bins;
}

reference::tiny_mc::Medium reference_medium(const Medium& medium) {
  return {medium.absorption_per_cm, medium.scattering_per_cm, medium.shells,
          medium.microns_per_shell, medium.roulette_weight,   medium.roulette_survival};
}

double mean_collisions(const Schedule& schedule) {
  double mean = 0, chance = 1;
  for (const auto& round : schedule.rounds) {
    mean += chance * round.collisions;
    chance *= schedule.survival;
  }
  return mean;
}

/// One photon's sums in the bins it has been in.
class PhotonSums {
 public:
  explicit PhotonSums(const BinOf& bin_of)
      : bin_of_(bin_of), sum_(bin_of.back() + 1), deposits_(sum_.size()) {}
  void add(unsigned shell, double value) {
    double& sum = sum_[bin_of_[shell]];
    if (sum == 0) visited_.push_back(bin_of_[shell]);
    sum += value;
    ++deposits_[bin_of_[shell]];
  }
  /// The photon has ended.
  void end(std::vector<Moments>& moments) {
    for (const std::uint32_t bin : visited_) {
      moments[bin].add(sum_[bin], deposits_[bin]);
      sum_[bin] = deposits_[bin] = 0;
    }
    visited_.clear();
  }

 private:
  const BinOf& bin_of_;
  std::vector<std::uint32_t> visited_;
  std::vector<double> sum_, deposits_;
};

Spread simulate_spread(const Medium& medium, const BinOf& heat_bins, const BinOf& heat2_bins) {
  const double photons =
      std::max(kFewestPhotons, kCollisions / mean_collisions(schedule_of(medium)));
  const auto uniform = reference::tiny_mc::uniforms(20261121);
  Spread spread;
  spread.heat.resize(heat_bins.back() + 1);
  spread.heat2.resize(heat2_bins.back() + 1);
  PhotonSums heat(heat_bins), heat2(heat2_bins);
  for (; spread.photons < photons; ++spread.photons) {
    double mean_shell = 0;
    reference::tiny_mc::follow_photon(reference_medium(medium), uniform,
                                      [&](unsigned shell, double weight) {
                                        if (weight == 0) return;
                                        heat.add(shell, weight);
                                        heat2.add(shell, weight * weight);
                                        mean_shell += shell * weight;
                                      });
    heat.end(spread.heat);
    heat2.end(spread.heat2);
    spread.mean_shell.add(mean_shell);
  }
  return spread;
}

/// First shells of bins that enough photons carry.
std::vector<std::uint32_t> pooled(const std::vector<Moments>& of_shells) {
  std::vector<std::uint32_t> first{0};
  double carriers = 0;
  for (std::uint32_t shell = 0; shell < of_shells.size(); ++shell) {
    // The best of them, not their sum: the same photons may be in several.
    carriers = std::max(carriers, of_shells[shell].carriers());
    if (carriers < kCarriers) continue;
    first.push_back(shell + 1);
    carriers = 0;
  }
  const auto shells = static_cast<std::uint32_t>(of_shells.size());
  if (first.back() != shells && first.size() > 1)
    first.pop_back();  // a thin rest joins the last bin
  if (first.back() != shells) first.push_back(shells);
  return first;
}

BinOf identity(std::uint32_t shells) {
  BinOf bins(shells);
  for (std::uint32_t shell = 0; shell < shells; ++shell) bins[shell] = shell;
  return bins;
}

Binned binned(const std::vector<std::uint32_t>& first, const std::vector<double>& means,
              const std::vector<Moments>& spread, double photons) {
  Binned law{first, std::vector<Expected>(spread.size())};
  for (std::size_t bin = 0; bin < spread.size(); ++bin) {
    law.expected[bin].sd = spread[bin].sd(photons);
    law.expected[bin].deposits = spread[bin].deposits / photons;
    for (std::uint32_t shell = first[bin]; shell < first[bin + 1]; ++shell)
      law.expected[bin].mean += means[shell];
  }
  return law;
}

/// What a photon leaves altogether depends only on the round in which it ends. In the mean it is
/// all of its weight, whatever the schedule.
Expected heat_of_a_photon(const Schedule& schedule) {
  Expected heat{.mean = 1};
  double left = 0, square = 0;
  const std::vector<double> chance = ending_law(schedule);
  for (std::size_t round = 0; round < chance.size(); ++round) {
    const auto& r = schedule.rounds[round];
    left += r.weight * (1 - std::pow(schedule.albedo, r.collisions));
    square += chance[round] * (left - 1) * (left - 1);
  }
  heat.sd = std::sqrt(square);
  return heat;
}

HeatLaw make_law(const Medium& medium) {
  const BinOf shells = identity(medium.shells);
  const Spread thin = simulate_spread(medium, shells, shells);
  const auto heat_first = pooled(thin.heat), heat2_first = pooled(thin.heat2);
  const Spread spread = simulate_spread(medium, bins_of(heat_first), bins_of(heat2_first));
  const ExactHeat exact = exact_heat(medium);
  HeatLaw law;
  law.medium = medium;
  law.heat = binned(heat_first, exact.heat, spread.heat, spread.photons);
  law.heat2 = binned(heat2_first, exact.heat2, spread.heat2, spread.photons);
  law.sum = heat_of_a_photon(schedule_of(medium));
  law.mean_shell.sd = spread.mean_shell.sd(spread.photons);
  for (std::uint32_t shell = 0; shell < medium.shells; ++shell)
    law.mean_shell.mean += shell * exact.heat[shell];
  return law;
}

bool same(const Medium& a, const Medium& b) {
  return a.absorption_per_cm == b.absorption_per_cm && a.scattering_per_cm == b.scattering_per_cm &&
         a.shells == b.shells && a.microns_per_shell == b.microns_per_shell;
}

}  // namespace

const HeatLaw& heat_law(const Medium& medium) {
  static std::mutex mutex;
  static std::deque<HeatLaw> laws;  // addresses stay
  const std::lock_guard lock(mutex);
  for (const HeatLaw& law : laws)
    if (same(law.medium, medium)) return law;
  return laws.emplace_back(make_law(medium));
}

std::vector<double> ending_law(const Schedule& schedule) {
  std::vector<double> chance;
  double alive = 1;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    chance.push_back(alive * (1 - schedule.survival));
    alive *= schedule.survival;
  }
  return chance;
}

}  // namespace ratchet::tiny_mc
