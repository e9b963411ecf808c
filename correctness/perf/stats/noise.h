// Machines that misbehave, for simulations: the log throughput of launches in order of time.
#pragma once

#include <array>
#include <random>
#include <utility>

namespace ratchet::stats_noise {

enum class Kind { normal, heavy, drifting, autocorrelated, bimodal };

constexpr std::array<std::pair<Kind, const char*>, 5> kinds = {{{Kind::normal, "normal"},
                                                                {Kind::heavy, "heavy-tailed"},
                                                                {Kind::drifting, "drifting"},
                                                                {Kind::autocorrelated, "AR 0.9"},
                                                                {Kind::bimodal, "bimodal"}}};

/// One machine: each call is the next launch's log throughput, scale about 1 %.
class Machine {
 public:
  Machine(Kind kind, std::mt19937_64& generator) : kind_(kind), generator_(generator) {}

  double next() {
    const double fresh = 0.01 * normal_(generator_);
    switch (kind_) {
      case Kind::normal:
        return fresh;
      case Kind::heavy:  // Student's t with two degrees: no variance
        return 0.01 * heavy_(generator_);
      case Kind::drifting:  // 0.1 % a launch, on top of the noise
        return fresh + 0.001 * static_cast<double>(++launches_);
      case Kind::autocorrelated:
        return state_ = 0.9 * state_ + fresh;
      case Kind::bimodal:  // some launches get the slow mode, as with page colouring
        return 0.3 * fresh - (slow_(generator_) ? 0.04 : 0.0);
    }
    return 0;
  }

 private:
  Kind kind_;
  std::mt19937_64& generator_;
  std::normal_distribution<double> normal_;
  std::student_t_distribution<double> heavy_{2};
  std::bernoulli_distribution slow_{0.3};
  double state_ = 0;
  long launches_ = 0;
};

/// A block: two launches, A and B in random order; ln(B / A) when B's true log ratio is `effect`.
inline double block(Machine& machine, std::mt19937_64& generator, double effect = 0) {
  const double first = machine.next();
  const double second = machine.next();
  return effect + (generator() & 1 ? first - second : second - first);
}

}  // namespace ratchet::stats_noise
