#include "correctness/tiny_mc/checks/transport.h"

#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "perf/support/error.h"

namespace ratchet::tiny_mc {
namespace {

using Kronrod = boost::math::quadrature::gauss_kronrod<double, 31>;
using std::numbers::pi;

/// 1 - (1 + z) exp(-z) without cancellation at small z.
double point_kernel(double z) { return -std::expm1(-z) - z * std::exp(-z); }

/// The root k in (0, 1) of c atanh(k) = k; 1 where it is closer to 1 than a double can tell.
double diffusion_root(double albedo) {
  double low = 1e-12, high = 1;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    (albedo * std::atanh(middle) < middle ? low : high) = middle;
  }
  return low;
}

/// The integral over m, with m = tanh(s): smooth, and falling off like exp(-2s).
double transient_part(double albedo, double radius) {
  const auto integrand = [=](double s) {
    if (s <= 0) return 1.0;  // P(R/m) -> 1, g -> 1
    const double m = std::tanh(s), sech = 1 / std::cosh(s);
    const double a = 1 - albedo * m * s, b = pi / 2 * albedo * m;
    return point_kernel(radius / m) * sech * sech / (a * a + b * b);
  };
  double sum = 0, from = 0;
  for (const double to : {0.05, 0.2, 0.6, 1.5, 4.0, 10.0, 20.0}) {
    sum += Kronrod::integrate(integrand, from, to, 6, 1e-11);
    from = to;
  }
  return sum;
}

/// Weights of the Fourier integral that roulette adds to the squares, on an even grid of q.
struct RouletteTerm {
  double spacing = 0;
  std::vector<double> weight;  ///< of q = i * spacing, Simpson's factors and 2/pi included
};

/// sum_j (s^-j - s^(1-j)) (c^2 f)^K_j f / (1 - c^2 f): what the rounds from j on have more than the
/// rounds before, f = atan(q)/q being the transform of one step.
double roulette_transform(const Schedule& schedule, double f) {
  const double c2 = schedule.albedo * schedule.albedo;
  double sum = 0, gain = 1;
  for (std::size_t round = 1; round < schedule.rounds.size(); ++round) {
    const double more = gain / schedule.survival - gain;
    gain /= schedule.survival;
    sum += more * std::pow(c2 * f, static_cast<double>(schedule.rounds[round].first));
  }
  return sum * f / (1 - c2 * f);
}

RouletteTerm roulette_term(const Schedule& schedule) {
  constexpr int kIntervals = 8000;
  const auto f = [](double q) { return q > 0 ? std::atan(q) / q : 1.0; };
  double last = 0.5;  // where the transform is nothing any more
  while (roulette_transform(schedule, f(last)) > 1e-18 && last < 400) last *= 1.2;
  RouletteTerm term{last / kIntervals, std::vector<double>(kIntervals + 1)};
  for (int i = 0; i <= kIntervals; ++i) {
    const double simpson = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
    term.weight[i] =
        simpson * term.spacing / 3 * 2 / pi * roulette_transform(schedule, f(i * term.spacing));
  }
  return term;
}

double within(const RouletteTerm& term, double radius) {
  double sum = 0;
  for (std::size_t i = 1; i < term.weight.size(); ++i) {
    const double q = static_cast<double>(i) * term.spacing, x = q * radius;
    sum += term.weight[i] * (std::sin(x) - x * std::cos(x)) / q;
  }
  return sum;
}

}  // namespace

double collision_sum(double albedo, double radius) {
  if (radius <= 0) return 0;
  if (albedo == 0) return -std::expm1(-radius);
  const double k = diffusion_root(albedo);
  const double a = 2 * (1 - k * k) / (albedo * (k * k - 1 + albedo));  // A / k^2
  return a * point_kernel(k * radius) + transient_part(albedo, radius);
}

ExactHeat exact_heat(const Medium& medium) {
  const double c = medium.albedo(), left = 1 - c;
  const Schedule schedule = schedule_of(medium);
  // Without scattering only the first collision leaves anything.
  const RouletteTerm roulette = c > 0 ? roulette_term(schedule) : RouletteTerm{};
  const auto heat_within = [&](double radius) { return left * collision_sum(c, radius); };
  const auto heat2_within = [&](double radius) {
    return left * left * (collision_sum(c * c, radius) + within(roulette, radius));
  };
  const double all_heat2 =
      left * left * (1 / (1 - c * c) + (c > 0 ? roulette_transform(schedule, 1) : 0));
  ExactHeat exact;
  double heat = 0, heat2 = 0;
  for (std::uint32_t shell = 0; shell < medium.shells; ++shell) {
    const bool last = shell + 1 == medium.shells;
    const double outer = (shell + 1) / medium.shells_per_mean_free_path();
    const double heat_to = last ? 1 : heat_within(outer);
    const double heat2_to = last ? all_heat2 : heat2_within(outer);
    exact.heat.push_back(heat_to - heat);
    exact.heat2.push_back(heat2_to - heat2);
    heat = heat_to;
    heat2 = heat2_to;
  }
  return exact;
}

std::vector<OracleRow> read_heat_oracle(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": cannot be read");
  std::vector<OracleRow> rows;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#' || line[0] == 's') continue;
    OracleRow row;
    std::string inner, outer, z;
    std::istringstream fields(line);
    if (!(fields >> row.shell >> inner >> outer >> row.mc_heat >> row.mc_se >> row.exact_heat >>
          z >> row.sd_photon >> row.mc_heat2) ||
        row.shell != rows.size())
      throw Error(path + ":" + std::to_string(number) + ": expected a shell and its columns");
    rows.push_back(row);
  }
  if (rows.size() != 101) throw Error(path + ": 101 shells expected");
  return rows;
}

}  // namespace ratchet::tiny_mc
