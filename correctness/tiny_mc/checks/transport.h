// Exact transport theory: where photons of an isotropic point source collide in an infinite,
// isotropically scattering medium. No simulation.
//
// With c the albedo, R in mean free paths, P(z) = 1 - (1 + z) exp(-z), and P_k(R) the chance that
// collision k happens within R, Case's solution of the transport equation gives
//   G(c, R) = sum_k c^k P_k(R) = A/k^2 P(kR) + int_0^1 g(m) P(R/m) dm
//   k: c atanh(k) = k;  A = 2 k^2 (1 - k^2) / (c (k^2 - 1 + c))
//   g(m) = 1 / ((1 - c m atanh m)^2 + (pi c m / 2)^2)
// The mean heat within R is (1 - c) G(c, R), whether or not photons play roulette. The mean square
// of single deposits is (1 - c)^2 G(c^2, R) without roulette; each survived game multiplies it by
// 10 from there on, and that correction is a Fourier integral over powers of atan(q)/q that decays
// at once.
#pragma once

#include <string>
#include <vector>

#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// sum_k albedo^k P(collision k within `radius`), radius in mean free paths, 0 <= albedo < 1.
double collision_sum(double albedo, double radius);

/// Exact means per photon of each shell's heat and of its sum of squared deposits.
struct ExactHeat {
  std::vector<double> heat, heat2;
};
ExactHeat exact_heat(const Medium& medium);

// The oracle correctness/tiny_mc/oracles/heat_reference.tsv: exact transport theory beside 3.2e8
// photons in double precision, made apart from this repository.

/// One shell of the text's medium; all per photon.
struct OracleRow {
  unsigned shell = 0;
  double mc_heat = 0, mc_se = 0;  ///< simulated, and its standard error
  double exact_heat = 0;
  double sd_photon = 0;  ///< standard deviation of one photon's heat
  double mc_heat2 = 0;   ///< simulated sum of squares of single deposits
};

/// Reads the oracle: 101 lines, shell = 0..100. Throws `Error` naming file and line when it cannot.
std::vector<OracleRow> read_heat_oracle(const std::string& path);

}  // namespace ratchet::tiny_mc
