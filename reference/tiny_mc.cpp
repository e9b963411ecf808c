#include "reference/tiny_mc.h"

#include <cmath>
#include <random>

namespace ratchet::reference::tiny_mc {

Uniform uniforms(std::uint64_t seed) {
  return [engine = std::mt19937_64(seed)]() mutable {
    return (static_cast<double>(engine() >> 12) + 0.5) * 0x1p-52;
  };
}

Direction random_direction(const Uniform& uniform) {
  double x1, x2, square;
  do {
    x1 = 2 * uniform() - 1;
    x2 = 2 * uniform() - 1;
    square = x1 * x1 + x2 * x2;
  } while (square > 1);
  // `square` is uniform on (0, 1] and independent of the angle of (x1, x2).
  const double u = 2 * square - 1;
  const double scale = std::sqrt((1 - u * u) / square);
  return {u, x1 * scale, x2 * scale};
}

std::uint64_t follow_photon(const Medium& medium, const Uniform& uniform, const Deposit& deposit) {
  const double total_per_cm = medium.absorption_per_cm + medium.scattering_per_cm;
  const double albedo = medium.scattering_per_cm / total_per_cm;
  const double shells_per_mean_free_path = 1e4 / medium.microns_per_shell / total_per_cm;
  double x = 0, y = 0, z = 0, weight = 1;
  Direction direction;
  for (std::uint64_t collisions = 1;; ++collisions) {
    const double step = -std::log(uniform());
    x += step * direction.u;
    y += step * direction.v;
    z += step * direction.w;
    const double shell = std::sqrt(x * x + y * y + z * z) * shells_per_mean_free_path;
    const unsigned last = medium.shells - 1;
    deposit(shell < last ? static_cast<unsigned>(shell) : last, (1 - albedo) * weight);
    weight *= albedo;
    direction = random_direction(uniform);
    if (weight >= medium.roulette_weight) continue;
    if (uniform() > medium.roulette_survival) return collisions;
    weight /= medium.roulette_survival;
  }
}

double Heat::mean(unsigned shell) const { return heat[shell] / static_cast<double>(photons); }
double Heat::mean2(unsigned shell) const { return heat2[shell] / static_cast<double>(photons); }
double Heat::sd(unsigned shell) const {
  const double square = photon_heat2[shell] / static_cast<double>(photons);
  return std::sqrt(square - mean(shell) * mean(shell));
}

Heat simulate(const Medium& medium, std::uint64_t photons, const Uniform& uniform) {
  Heat sums;
  sums.photons = photons;
  for (auto* column : {&sums.heat, &sums.heat2, &sums.photon_heat2})
    column->assign(medium.shells, 0.0);
  std::vector<double> left(medium.shells);
  for (std::uint64_t photon = 0; photon < photons; ++photon) {
    left.assign(medium.shells, 0.0);
    sums.collisions += follow_photon(medium, uniform, [&](unsigned shell, double weight) {
      left[shell] += weight;
      sums.heat2[shell] += weight * weight;
    });
    for (unsigned shell = 0; shell < medium.shells; ++shell) {
      sums.heat[shell] += left[shell];
      sums.photon_heat2[shell] += left[shell] * left[shell];
    }
  }
  return sums;
}

}  // namespace ratchet::reference::tiny_mc
