// Means by theory, spreads by the reference.
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "correctness/tiny_mc/checks.h"
#include "correctness/tiny_mc/transport.h"
#include "reference/tiny_mc.h"

namespace ratchet::tiny_mc {
namespace {

/// A bin must have seen this many of the reference's photons: its sd is then known to a few
/// percent.
constexpr std::uint64_t kVisits = 400;
/// Work of one reference simulation, in collisions: a quarter of a second.
constexpr double kCollisions = 3e6;
constexpr double kFewestPhotons = 2000;

/// Sums over the reference's photons, of which each leaves its heat in some bins.
struct Spread {
  std::vector<std::uint64_t> visits;
  std::vector<double> heat, heat_squares, heat2, heat2_squares;
  double shell_sum = 0, shell_squares = 0;
  double photons = 0;

  explicit Spread(std::size_t bins)
      : visits(bins), heat(bins), heat_squares(bins), heat2(bins), heat2_squares(bins) {}
};

double sd_of(double sum, double squares, double n) {
  return std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n)));
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

/// One photon's deposits, by bin; added to the spread when it has ended.
class PhotonSums {
 public:
  explicit PhotonSums(const std::vector<std::uint32_t>& bin_of, std::size_t bins)
      : bin_of_(bin_of), heat_(bins), heat2_(bins) {}
  void deposit(unsigned shell, double weight) {
    const std::uint32_t bin = bin_of_[shell];
    if (heat_[bin] == 0) bins_.push_back(bin);
    heat_[bin] += weight;
    heat2_[bin] += weight * weight;
    shell_ += shell * weight;
  }
  void end(Spread& spread) {
    for (const std::uint32_t bin : bins_) {
      ++spread.visits[bin];
      spread.heat[bin] += heat_[bin];
      spread.heat_squares[bin] += heat_[bin] * heat_[bin];
      spread.heat2[bin] += heat2_[bin];
      spread.heat2_squares[bin] += heat2_[bin] * heat2_[bin];
      heat_[bin] = heat2_[bin] = 0;
    }
    spread.shell_sum += shell_;
    spread.shell_squares += shell_ * shell_;
    ++spread.photons;
    shell_ = 0;
    bins_.clear();
  }

 private:
  const std::vector<std::uint32_t>& bin_of_;
  std::vector<std::uint32_t> bins_;
  std::vector<double> heat_, heat2_;
  double shell_ = 0;
};

Spread simulate_spread(const Medium& medium, const std::vector<std::uint32_t>& bin_of,
                       std::size_t bins) {
  const double collisions = mean_collisions(schedule_of(medium));
  const double photons = std::max(kFewestPhotons, kCollisions / collisions);
  const auto uniform = reference::tiny_mc::uniforms(20261121);
  Spread spread(bins);
  PhotonSums sums(bin_of, bins);
  while (spread.photons < photons) {
    reference::tiny_mc::follow_photon(reference_medium(medium), uniform,
                                      [&](unsigned shell, double weight) {
                                        if (weight > 0) sums.deposit(shell, weight);
                                      });
    sums.end(spread);
  }
  return spread;
}

/// Bins of neighbouring shells that `visits` (per shell) fills enough each.
std::vector<std::uint32_t> pooled(const std::vector<std::uint64_t>& visits) {
  std::vector<std::uint32_t> first{0};
  std::uint64_t open = 0;
  for (std::uint32_t shell = 0; shell < visits.size(); ++shell) {
    open = std::max(open, visits[shell]);  // a photon may visit several: no sum
    if (open < kVisits) continue;
    first.push_back(shell + 1);
    open = 0;
  }
  if (open > 0 && first.size() > 1) first.pop_back();  // a thin rest joins the last bin
  if (first.back() != visits.size()) first.push_back(static_cast<std::uint32_t>(visits.size()));
  return first;
}

std::vector<std::uint32_t> identity(std::uint32_t shells) {
  std::vector<std::uint32_t> bins(shells);
  for (std::uint32_t shell = 0; shell < shells; ++shell) bins[shell] = shell;
  return bins;
}

/// What a photon leaves altogether depends on the round in which it ends, and on nothing else.
Expected heat_of_a_photon(const Schedule& schedule) {
  Expected heat;
  double left = 0, square = 0;
  const std::vector<double> chance = ending_law(schedule);
  for (std::size_t round = 0; round < chance.size(); ++round) {
    const auto& r = schedule.rounds[round];
    left += r.weight * (1 - std::pow(schedule.albedo, r.collisions));
    heat.mean += chance[round] * left;
    square += chance[round] * (left - 1) * (left - 1);
  }
  heat.sd = std::sqrt(std::max(0.0, square - (heat.mean - 1) * (heat.mean - 1)));
  return heat;
}

HeatLaw make_law(const Medium& medium) {
  HeatLaw law;
  law.medium = medium;
  law.first = pooled(simulate_spread(medium, identity(medium.shells), medium.shells).visits);
  const std::size_t bins = law.first.size() - 1;
  std::vector<std::uint32_t> bin_of(medium.shells);
  law.heat.resize(bins);
  law.heat2.resize(bins);
  const ExactHeat exact = exact_heat(medium);
  for (std::size_t bin = 0; bin < bins; ++bin)
    for (std::uint32_t shell = law.first[bin]; shell < law.first[bin + 1]; ++shell) {
      bin_of[shell] = static_cast<std::uint32_t>(bin);
      law.heat[bin].mean += exact.heat[shell];
      law.heat2[bin].mean += exact.heat2[shell];
      law.mean_shell.mean += shell * exact.heat[shell];
    }
  const Spread spread = simulate_spread(medium, bin_of, bins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    law.heat[bin].sd = sd_of(spread.heat[bin], spread.heat_squares[bin], spread.photons);
    law.heat2[bin].sd = sd_of(spread.heat2[bin], spread.heat2_squares[bin], spread.photons);
  }
  law.mean_shell.sd = sd_of(spread.shell_sum, spread.shell_squares, spread.photons);
  law.sum = heat_of_a_photon(schedule_of(medium));
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
