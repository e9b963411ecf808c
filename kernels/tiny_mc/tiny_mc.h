// The tiny_mc family: photons from a point source in an infinite, isotropically scattering medium;
// how much of them each spherical shell around the source absorbs.
//
// Source: barufa, "Tiny Monte Carlo, Laboratorio 4: CUDA" (https://github.com/barufa/tiny_mc),
// after Scott Prahl's tiny_mc. Unit of work: photons.
//
// A photon starts at the centre with weight 1. Each step is exponential with a mean of one mean
// free path, in a direction drawn uniformly from the sphere. At the end of each step, a
// *collision*, it leaves (1 - albedo) of its weight in the shell it is in, and keeps the rest. When
// the weight falls below 0.001 it plays roulette: it ends with probability 0.9, and goes on with
// ten times its weight otherwise. So the weight at collision k is a function of k alone: see
// Schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::tiny_mc {

inline constexpr std::uint64_t kMaxPhotons = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxShells = 1024;
/// Scattering may be at most this many times absorption (albedo 0.9999): a photon then collides
/// some 75 000 times.
inline constexpr std::uint64_t kMaxScatteringRatio = 9999;

/// The medium and the shells in it. Defaults are those of the program that the text links: albedo
/// 10/11.
struct Medium {
  double absorption_per_cm = 2;
  double scattering_per_cm = 20;
  /// Shell i reaches from i to i + 1 thicknesses; the last one is everything beyond.
  std::uint32_t shells = 101;
  double microns_per_shell = 50;
  double roulette_weight = 0.001;  ///< below this a photon plays roulette
  double roulette_survival =
      0.1;  ///< with this chance it goes on, its weight divided by the chance

  double albedo() const { return scattering_per_cm / (absorption_per_cm + scattering_per_cm); }
  /// Thicknesses of a shell in one mean free path: radius in mean free paths times this, rounded
  /// down, is the shell. 9.09 by default.
  double shells_per_mean_free_path() const {
    return 1e4 / microns_per_shell / (absorption_per_cm + scattering_per_cm);
  }
};

/// When photons play roulette, and what they weigh: the same for all photons. Round j is the
/// collisions between two games of roulette: every photon that is alive at its start makes all of
/// its collisions, then ends or goes on into round j + 1 (with the chance `survival`).
struct Schedule {
  struct Round {
    std::uint32_t first = 0;       ///< index of its first collision, from 0
    std::uint32_t collisions = 0;  ///< 1 or more; 73, 24, 24, ... by default
    double weight = 1;             ///< of a photon arriving at the first collision
  };
  double albedo = 0;
  double survival = 0.1;
  /// Endless in theory. Cut after kRounds games, which a photon survives once in 10^32: it ends
  /// there.
  std::vector<Round> rounds;
  static constexpr std::size_t kRounds = 32;

  /// Weight that a photon arriving at collision `i` of round `round` leaves there, i from 0.
  double deposit(std::size_t round, std::uint32_t i) const;
  /// Rounds' collisions before and including `round`: what a photon that ends after it has made.
  std::uint32_t collisions_through(std::size_t round) const {
    return rounds[round].first + rounds[round].collisions;
  }
};

/// The schedule of `medium`. A photon of weight 0 (albedo 0) plays on like any other.
Schedule schedule_of(const Medium& medium);

/// What a run leaves. Sums over photons, not means; divide by `photons`.
struct Tally {
  std::uint64_t photons = 0;  ///< simulated: exactly the number asked for
  std::vector<double> heat;   ///< per shell: sum of the weights left there
  /// Per shell: sum of the squares of single deposits, the text's heat[i][1]. Not good for a
  /// standard error, since one photon leaves several deposits in a shell: see photon_moments().
  std::vector<double> heat2;

  Tally() = default;
  explicit Tally(std::uint32_t shells) : heat(shells), heat2(shells) {}
  /// Adds the other's sums and photons; the shells must agree.
  Tally& operator+=(const Tally& other);
  /// Adds count[s] deposits of `deposit` each to every shell s. For stages that count collisions in
  /// integers, N[k][shell]: those do not depend on the order of photons.
  void add_counts(double deposit, std::span<const std::uint32_t> count);
  void add_counts(double deposit, std::span<const std::uint64_t> count);
};

/// A prepared tiny_mc stage. The first run() of a fresh instance simulates the photons that the
/// seed decides; each further run() draws fresh ones.
class Transport : public Instance {
 public:
  /// The tally of the last run() alone. Waits for it.
  virtual Tally collect() = 0;
};

/// How a stage makes numbers of its random words: what a trace must tell beside the words, so that
/// logarithm, direction and roulette can be computed again. Words have 32 bits.
struct Draws {
  /// The number x between 0 and 1 of a word. A step is -ln x mean free paths long; a photon goes on
  /// after roulette where x is the chance of that or less.
  enum class Unit {
    middles,         ///< (m + 1/2) / 2^23 of the high 23 bits m, exact in a float
    odd,             ///< word / 2^32, the word made odd for a step
    printed_shifts,  ///< (word as a signed number + 2^31 - 1) / 2^32, in floats: the text's
    curand,          ///< (word + 1/2) / 2^32, in floats
  };
  /// The direction of a step. c of a word is its 2 x - 1. A point (x1, x2) of the unit disc is
  /// carried to the sphere: with s = x1^2 + x2^2, u = 2 s - 1 and (v, w) = sqrt((1 - u^2) / s)
  /// times the point.
  enum class Direction {
    radial,             ///< one word: w = c
    height_and_angle,   ///< w = c of the first; (u, v) = sqrt(1 - w^2) (cos, sin) of 2 pi x
    height_and_octant,  ///< the same with a point of the circle by octants, cpu_circle-inl.h
    rejection,          ///< the pair that fell into the disc: x1 = c of the first, x2 of the second
    polar,           ///< (x1, x2) = sqrt(x of the first) times (sin, cos) of 2 pi x of the second
    printed_polar,   ///< twice that, less (1, 1): the text's, and outside of the disc NaN
    printed_octant,  ///< the same by octants
  };
  Unit unit = Unit::middles;
  Direction direction = Direction::radial;
  /// c is that of the word as a signed number: of the word with its highest bit turned over.
  bool signed_cosines = false;
};

/// One collision as the kernel body saw it. In the full walk `u, v, w` are the direction cosines of
/// the step that led here, the first step included, whose direction may be any fixed one. In the
/// radial walk `w` is the cosine between that step and the radius vector at its start, u = v = 0,
/// and the first is ignored.
struct Collision {
  float step = 0;  ///< mean free paths
  float u = 0, v = 0, w = 0;
  std::uint32_t shell = 0;  ///< to which the deposit went
  /// The words that the step and its direction were made of, and that of the roulette which was
  /// played directly after this collision; 0 where there was none. Draws says how.
  std::uint32_t step_word = 0, direction_word[2] = {}, roulette_word = 0;
  std::uint16_t direction_words = 0;  ///< 0 where the direction is a fixed one
  std::uint16_t roulettes = 0;        ///< 0 or 1
};
static_assert(sizeof(Collision) == 40, "traces are compared byte by byte: no gaps");

/// Photon by photon, what the kernel body saw. Photon p's collision k is entry p * capacity + k; of
/// a photon with more than `capacity` collisions the first are kept and all are counted.
struct Trace {
  /// Photons in a row whose words were made into numbers alike.
  struct Part {
    std::uint64_t photons = 0;
    Draws draws;
  };
  std::uint64_t photons = 0;
  std::uint32_t capacity = 0;
  std::vector<std::uint32_t> collisions;  ///< made by each photon
  std::vector<Collision> collision;       ///< photons * capacity
  std::vector<Part> parts;                ///< of all photons, in their order

  std::span<const Collision> of(std::uint64_t photon) const;
  /// Adds the other's photons behind these; the capacities must agree.
  Trace& operator+=(const Trace& other);
};

/// An empty trace of that size. Throws `Error` when the memory for it is not there.
Trace sized_trace(std::uint64_t photons, std::uint32_t capacity, const Draws& draws);

/// How positions are kept. The radial walk keeps the distance from the centre only, which is exact
/// for isotropic scattering and spherical shells and is another, smaller computation: the two are
/// told apart wherever a stage is named.
enum class Walk { full, radial };

/// Whether equal seeds give results equal bit for bit on one device.
enum class Repeatable { yes, no };

/// What a family's stage adds to the contract.
class PhotonStage : public Stage {
 public:
  PhotonStage(StageInfo info, Walk walk, Repeatable repeatable = Repeatable::yes);

  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final {
    return prepare_transport(parameters);
  }
  virtual std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const = 0;
  /// Probe: the same body, keeping every collision of parameters.at("photons") photons, up to
  /// `capacity` each. These are the very photons that the first run() of a fresh instance simulates
  /// under the same parameters, in an order that is the stage's own. Needs 40 bytes a collision
  /// kept.
  virtual Trace trace(const Parameters& parameters, std::uint32_t capacity) const = 0;

  /// Largest relative error that rounding may leave in a sum to which each photon adds `deposits`
  /// deposits on average (heat; heat^2 may be off by twice that). By default that of weights
  /// multiplied in float and summed in double; a stage that sums floats states its own.
  virtual double rounding(const Parameters& parameters, double deposits) const;

  /// Whether a run under `parameters` has the article's error, as StageInfo::as_printed.
  bool as_printed_at(const Parameters& parameters) const {
    return info().as_printed || (parameters.has("printed") && parameters.at("printed") == 1);
  }

  Walk walk() const { return walk_; }
  Repeatable repeatable() const { return repeatable_; }

 private:
  Walk walk_;
  Repeatable repeatable_;
};

/// Mean and standard deviation of one photon's heat in each shell: the standard error of the mean
/// heat of N photons is sd / sqrt(N). From a trace that kept every collision; throws `Error` when
/// the capacity cut some off.
struct PhotonMoments {
  std::uint64_t photons = 0;
  std::vector<double> mean, sd;
};
PhotonMoments photon_moments(const Trace& trace, const Medium& medium);

/// The parameters every stage has, photons, seed, absorption and scattering (per metre: 200 is
/// 2/cm), shells and shell_um, then those of its own. `default_photons` is the benchmark's number.
std::vector<Parameter> common_parameters(std::uint64_t default_photons,
                                         const std::vector<Parameter>& own = {});

/// Points of a survey: the photon counts of the text's table, the powers of two from 2^14 to
/// 2^`last_power`, but 2^31 - 1 for the last of them.
std::vector<ParameterPoint> photon_survey(unsigned last_power = 31);

/// The medium that the parameters ask for. Throws `Error` for an albedo beyond kMaxScatteringRatio.
Medium medium_of(const Parameters& parameters);

/// StageInfo::source for an idea of the text: the document and the section's heading.
std::string text(const std::string& section);

/// `info` with what all tiny_mc stages state alike filled in: backend, unit, size, sanitizer run.
/// PhotonStage appends the walk to the summary, and says when sums depend on the order of photons.
StageInfo stage_info(StageInfo info);

}  // namespace ratchet::tiny_mc
