#include "kernels/tiny_mc/tiny_mc.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <stdexcept>
#include <utility>

#include "perf/support/error.h"

namespace ratchet::tiny_mc {
namespace {

StageInfo with_marks(StageInfo info, Walk walk, Repeatable repeatable) {
  info.summary += walk == Walk::full ? " (full xyz walk)" : " (radial walk)";
  if (repeatable == Repeatable::no) info.summary += "; float sums in no fixed order";
  return info;
}

template <class Count>
void add_counts_to(Tally& tally, double deposit, std::span<const Count> count) {
  if (count.size() != tally.heat.size())
    throw std::logic_error("counts of " + std::to_string(count.size()) + " shells for a tally of " +
                           std::to_string(tally.heat.size()));
  for (std::size_t shell = 0; shell < count.size(); ++shell) {
    const double deposits = static_cast<double>(count[shell]);
    tally.heat[shell] += deposits * deposit;
    tally.heat2[shell] += deposits * (deposit * deposit);
  }
}

}  // namespace

double Schedule::deposit(std::size_t round, std::uint32_t i) const {
  return (1 - albedo) * rounds[round].weight * std::pow(albedo, static_cast<double>(i));
}

Schedule schedule_of(const Medium& medium) {
  Schedule schedule;
  schedule.albedo = medium.albedo();
  schedule.survival = medium.roulette_survival;
  Schedule::Round round;
  double weight = 1;
  while (schedule.rounds.size() < Schedule::kRounds) {
    weight *= schedule.albedo;
    ++round.collisions;
    if (weight >= medium.roulette_weight) continue;
    schedule.rounds.push_back(round);
    weight /= medium.roulette_survival;
    round = {.first = round.first + round.collisions, .collisions = 0, .weight = weight};
  }
  return schedule;
}

Tally& Tally::operator+=(const Tally& other) {
  if (heat.size() != other.heat.size())
    throw std::logic_error("tallies of different numbers of shells");
  photons += other.photons;
  for (std::size_t shell = 0; shell < heat.size(); ++shell) {
    heat[shell] += other.heat[shell];
    heat2[shell] += other.heat2[shell];
  }
  return *this;
}

void Tally::add_counts(double deposit, std::span<const std::uint32_t> count) {
  add_counts_to(*this, deposit, count);
}

void Tally::add_counts(double deposit, std::span<const std::uint64_t> count) {
  add_counts_to(*this, deposit, count);
}

std::span<const Collision> Trace::of(std::uint64_t photon) const {
  const std::size_t kept = std::min(collisions[photon], capacity);
  return {&collision[photon * capacity], kept};
}

Trace& Trace::operator+=(const Trace& other) {
  if (capacity != other.capacity) throw std::logic_error("traces of different capacities");
  photons += other.photons;
  collisions.insert(collisions.end(), other.collisions.begin(), other.collisions.end());
  collision.insert(collision.end(), other.collision.begin(), other.collision.end());
  parts.insert(parts.end(), other.parts.begin(), other.parts.end());
  return *this;
}

Trace sized_trace(std::uint64_t photons, std::uint32_t capacity, const Draws& draws) {
  Trace trace;
  trace.photons = photons;
  trace.capacity = capacity;
  trace.parts = {{photons, draws}};
  try {
    trace.collisions.resize(photons);
    trace.collision.resize(photons * capacity);  // no overflow: below 2^40 times 2^20
  } catch (const std::exception&) {  // bad_alloc, or length_error beyond what a vector may hold
    throw Error("a trace of " + std::to_string(photons) + " photons, " + std::to_string(capacity) +
                " collisions each, does not fit into memory; trace fewer photons");
  }
  return trace;
}

PhotonStage::PhotonStage(StageInfo info, Walk walk, Repeatable repeatable)
    : Stage(with_marks(std::move(info), walk, repeatable)), walk_(walk), repeatable_(repeatable) {}

double PhotonStage::rounding(const Parameters&, double) const { return 1e-5; }

PhotonMoments photon_moments(const Trace& trace, const Medium& medium) {
  const Schedule schedule = schedule_of(medium);
  std::vector<double> deposit;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round)
    for (std::uint32_t i = 0; i < schedule.rounds[round].collisions; ++i) {
      if (deposit.size() >= trace.capacity) break;
      deposit.push_back(schedule.deposit(round, i));
    }
  PhotonMoments moments{trace.photons, std::vector<double>(medium.shells),
                        std::vector<double>(medium.shells)};
  std::vector<double> left(medium.shells);
  for (std::uint64_t photon = 0; photon < trace.photons; ++photon) {
    if (trace.collisions[photon] > trace.capacity)
      throw Error("a photon of the trace made " + std::to_string(trace.collisions[photon]) +
                  " collisions and " + std::to_string(trace.capacity) +
                  " were kept; take a larger capacity");
    const auto path = trace.of(photon);
    for (std::size_t k = 0; k < path.size(); ++k) left.at(path[k].shell) += deposit[k];
    for (const Collision& collision : path) {
      double& sum = left[collision.shell];
      moments.mean[collision.shell] += sum;
      moments.sd[collision.shell] += sum * sum;
      sum = 0;  // so that a shell visited twice is taken once
    }
  }
  const double n = static_cast<double>(trace.photons);
  for (std::size_t shell = 0; shell < medium.shells && n > 0; ++shell) {
    moments.mean[shell] /= n;
    const double mean = moments.mean[shell];
    moments.sd[shell] = std::sqrt(std::max(0.0, moments.sd[shell] / n - mean * mean));
  }
  return moments;
}

std::vector<Parameter> common_parameters(std::uint64_t default_photons,
                                         const std::vector<Parameter>& own) {
  return joined<Parameter>(
      {{"photons", default_photons, 0, kMaxPhotons, "photons in one run"},
       {"seed", 1, 0, std::numeric_limits<std::uint64_t>::max(), "seed of the random numbers"},
       {"absorption", 200, 1, 1'000'000, "absorptions per metre; 200 is 2/cm"},
       {"scattering", 2000, 0, 1'000'000, "scatterings per metre; 2000 is 20/cm"},
       {"shells", 101, 1, kMaxShells, "shells; the last is everything beyond"},
       {"shell_um", 50, 1, 1'000'000, "thickness of a shell in micrometres"}},
      own);
}

std::vector<ParameterPoint> photon_survey(unsigned last_power) {
  std::vector<ParameterPoint> points;
  for (unsigned power = 14; power <= last_power; ++power)
    points.push_back({{"photons", (std::uint64_t{1} << power) - (power == 31 ? 1 : 0)}});
  return points;
}

Medium medium_of(const Parameters& parameters) {
  const std::uint64_t absorption = parameters.at("absorption");
  const std::uint64_t scattering = parameters.at("scattering");
  if (scattering > kMaxScatteringRatio * absorption)
    throw Error("scattering = " + std::to_string(scattering) + " is more than " +
                std::to_string(kMaxScatteringRatio) + " times absorption = " +
                std::to_string(absorption) + "; photons would hardly ever end: raise absorption");
  Medium medium;
  medium.absorption_per_cm = static_cast<double>(absorption) / 100;
  medium.scattering_per_cm = static_cast<double>(scattering) / 100;
  medium.shells = static_cast<std::uint32_t>(parameters.at("shells"));
  medium.microns_per_shell = static_cast<double>(parameters.at("shell_um"));
  return medium;
}

std::string text(const std::string& section) {
  return "barufa, Tiny Monte Carlo, Laboratorio 4: CUDA, \"" + section + "\"";
}

StageInfo stage_info(StageInfo info) {
  info.backend = backend_of_process(info.name);
  info.unit = "photons";
  info.size = "photons";
  info.sanitizer_run = {{"photons", 1025}};
  return info;
}

}  // namespace ratchet::tiny_mc
