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

}  // namespace ratchet::tiny_mc
