// Photons in an infinite, isotropically scattering medium by definition: Scott Prahl's tiny_mc in
// double precision, one photon and one collision after the other, all its constants parameters.
//
// Never optimized: the stages of kernels/tiny_mc are held against this and against exact transport
// theory. Source: barufa, "Tiny Monte Carlo, Laboratorio 4: CUDA"
// (https://github.com/barufa/tiny_mc), which optimizes this program, and Prahl's original at
// omlc.org/software/mc.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace ratchet::reference::tiny_mc {

struct Medium {
  double absorption_per_cm = 2;
  double scattering_per_cm = 20;
  unsigned shells = 101;  ///< the last one is everything beyond
  double microns_per_shell = 50;
  double roulette_weight = 0.001;  ///< a photon below this plays roulette
  double roulette_survival = 0.1;  ///< and survives with this chance, its weight divided by it
};

/// Uniform numbers on the open interval (0, 1): never 0, whose logarithm is an infinite step.
using Uniform = std::function<double()>;

/// The high 52 bits m of std::mt19937_64 under `seed`, as (m + 1/2) / 2^52.
Uniform uniforms(std::uint64_t seed);

/// Direction cosines.
struct Direction {
  double u = 0, v = 0, w = 1;
};
/// Uniform on the sphere: a point of the unit disc by rejection, carried to the sphere.
Direction random_direction(const Uniform& uniform);

using Deposit = std::function<void(unsigned shell, double weight)>;
/// Follows one photon from the source to its end and reports each deposit. Returns the number of
/// its collisions.
std::uint64_t follow_photon(const Medium& medium, const Uniform& uniform, const Deposit& deposit);

/// Sums over photons, per shell.
struct Heat {
  std::uint64_t photons = 0;
  std::vector<double> heat;   ///< weight left in the shell
  std::vector<double> heat2;  ///< squares of single deposits, as the program sums them
  /// Squares of what each photon left in the shell altogether: what a standard error needs, because
  /// a photon often leaves several deposits in one shell.
  std::vector<double> photon_heat2;
  std::uint64_t collisions = 0;

  double mean(unsigned shell) const;
  double mean2(unsigned shell) const;
  /// Standard deviation of one photon's heat in the shell.
  double sd(unsigned shell) const;
};

/// Follows `photons` photons one after the other.
Heat simulate(const Medium& medium, std::uint64_t photons, const Uniform& uniform);

}  // namespace ratchet::reference::tiny_mc
