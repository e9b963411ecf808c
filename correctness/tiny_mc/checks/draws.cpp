// What a trace's words say: steps, directions and games of roulette are computed again, in double,
// each from the very words that the stage drew for it.
//
// Laws of steps and directions see what is wrong on average. Here a logarithm, a root or a sine
// that is off for some words shows where it is. Nothing is left between a stage and the definition
// but the rounding of floats. It is counted in u, half a unit in the last place: 2^-24 of a number.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;
using correctness::TestResult;

constexpr double kHalfUnit = 0x1p-24;  // u
constexpr double kAnything = std::numeric_limits<double>::infinity();

/// A number as the definition has it, and how far from it a stage's float may be. `off` is
/// kAnything where it does not follow from the words; value is NaN where the stage's must be.
struct Near {
  double value = 0, off = 0;
};

/// The number x of a word. Of printed_shifts the word is rounded to a float (2^6 of 2^32), and the
/// sum once more (2^7): less than u. The others round x itself, curand's three times.
Near unit_of(std::uint32_t word, Draws::Unit unit) {
  const double x = word;
  switch (unit) {
    case Draws::Unit::middles:
      return {(word >> 9) * 0x1p-23 + 0x1p-24, 0};
    case Draws::Unit::odd:
      return {(word | 1) * 0x1p-32, (x + 1) * 0x1p-32 * kHalfUnit};
    case Draws::Unit::printed_shifts:
      return {(static_cast<std::int32_t>(word) + 2147483647.0) * 0x1p-32, kHalfUnit};
    case Draws::Unit::curand:
      return {(x + 0.5) * 0x1p-32, (x + 1) * 0x1p-32 * 3 * kHalfUnit};
  }
  return {};
}

/// c of a word.
Near cosine_of(std::uint32_t word, const Draws& draws) {
  const Near x = unit_of(word ^ (draws.signed_cosines ? 0x80000000 : 0), draws.unit);
  return {2 * x.value - 1, 2 * x.off + kHalfUnit};
}

/// -ln x. Where the logarithm is of x, the loosest one is CUDA's __logf: 2^-21.41 near 1, elsewhere
/// three units in the last place, 6 u; multiplying by the shells of a mean free path and dividing
/// by them adds 3 u, and 16 u leave room for a polynomial's 1.7e-7. Counted walks take it of the
/// word, 32 - log2(word) by lg2.approx, 2^-22 of up to 32, in units of ln 2: of the 22.2 that both
/// terms may be, their coefficients lose u, and 2 u where one is rounded up, and the sum u.
Near step_of(std::uint32_t word, Draws::Unit unit) {
  const Near x = unit_of(word, unit);
  if (x.value <= 4 * x.off) return {0, kAnything};  // as printed, x may be 0 or less
  const double step = -std::log(x.value);
  const bool of_word = unit == Draws::Unit::odd;
  const double most = of_word ? 32 * std::numbers::ln2 * (0x1p-22 + 4 * kHalfUnit) : 0x1.82p-22;
  return {step, most + 16 * kHalfUnit * step + x.off / (x.value - x.off)};
}

struct Point {
  Near x1, x2;
};

/// A point of the unit circle by octants. The signed high bits of the word are an angle up to half
/// an octant on both sides of the first axis. Bit 8 takes the second axis instead, bit 7 the other
/// side. The polynomial is good to u / 2, and adding up its terms rounds.
Point octant_of(std::uint32_t word) {
  const Near q = cosine_of(word, {Draws::Unit::middles, {}, true});
  const double sine = std::sin(std::numbers::pi / 4 * q.value);
  const double cosine = std::cos(std::numbers::pi / 4 * q.value) * (word & 0x80 ? -1 : 1);
  const double off = 4 * kHalfUnit;
  return word & 0x100 ? Point{{sine, off}, {cosine, off}} : Point{{cosine, off}, {sine, off}};
}

/// (sin, cos) of 2 pi x, by sincospif: one unit in the last place.
Point turn_of(std::uint32_t word, Draws::Unit unit) {
  const Near x = unit_of(word, unit);
  const double angle = 2 * std::numbers::pi * x.value;
  const double off = 3 * kHalfUnit + 2 * std::numbers::pi * x.off;
  return {{std::sin(angle), off}, {std::cos(angle), off}};
}

/// r and a circle's point to one of the disc; as printed twice as far and moved by (-1, -1). The
/// root and the product round, the hardware's root by 2 u.
Point scaled(const Point& circle, const Near& square, bool printed) {
  const double r = std::sqrt(std::max(0.0, square.value)), times = printed ? 2 : 1;
  const double r_off =
      std::min(std::sqrt(square.off), square.off / std::max(r, 1e-9)) + 3 * kHalfUnit * r;
  const auto coordinate = [&](const Near& at) {
    const double value = times * r * at.value;
    return Near{value - (printed ? 1 : 0), times * (r * at.off + r_off * std::fabs(at.value)) +
                                               kHalfUnit * std::fabs(value) +
                                               (printed ? 2 * kHalfUnit : 0)};
  };
  return {coordinate(circle.x1), coordinate(circle.x2)};
}

using Direction = std::array<Near, 3>;

/// The root of 1 - cosine^2, where the stage's difference may be off by `off`.
Near across(double cosine, double off) {
  const double root = std::sqrt(std::max(0.0, 1 - cosine * cosine));
  return {root, std::min(std::sqrt(off), off / std::max(root, 1e-9)) + 4 * kHalfUnit * root};
}

/// The disc carried to the sphere.
Direction carried(const Point& point, bool printed) {
  const double x1 = point.x1.value, x2 = point.x2.value, s = x1 * x1 + x2 * x2;
  const double s_off =
      2 * (std::fabs(x1) * point.x1.off + std::fabs(x2) * point.x2.off) + 3 * kHalfUnit * s;
  const Near cosine{2 * s - 1, 2 * s_off + 2 * kHalfUnit * (1 + s)};
  const double left = 1 - cosine.value * cosine.value;
  const double left_off =
      2 * std::fabs(cosine.value) * cosine.off + 2 * kHalfUnit * (1 + std::fabs(left));
  if (printed && left < left_off) {
    const Near none{std::nan(""), left < -left_off ? 0 : kAnything};
    return {cosine, none, none};
  }
  const Near root = across(cosine.value, left_off);
  const double length = std::sqrt(s);
  const auto coordinate = [&](const Near& at) {
    const double share = at.value / length;
    return Near{share * root.value, root.off + 4 * kHalfUnit + root.value * 2 * at.off / length};
  };
  return {cosine, coordinate(point.x1), coordinate(point.x2)};
}

/// A height w and the point of the circle about it.
Direction about(const Near& height, const Point& circle) {
  const Near root = across(height.value, 2 * std::fabs(height.value) * height.off + 2 * kHalfUnit);
  const auto coordinate = [&](const Near& at) {
    return Near{root.value * at.value, root.off + root.value * at.off + kHalfUnit};
  };
  return {coordinate(circle.x1), coordinate(circle.x2), height};
}

/// By the hardware's sine and cosine, 2^-20.5 at most, of an angle that is rounded twice and
/// multiplied by a rounded pi: 3 u of it.
Point hardware_turn(std::uint32_t word, Draws::Unit unit) {
  const Point turn = turn_of(word, unit);
  const double off = std::exp2(-20.5) + std::numbers::pi * 3 * kHalfUnit;
  return {{turn.x2.value, off}, {turn.x1.value, off}};
}

Direction direction_of(const std::uint32_t (&word)[2], const Draws& draws) {
  using enum Draws::Direction;
  switch (draws.direction) {
    case radial:
      return {Near{}, Near{}, cosine_of(word[0], draws)};
    case height_and_angle:
      return about(cosine_of(word[0], draws), hardware_turn(word[1], draws.unit));
    case height_and_octant:
      return about(cosine_of(word[0], draws), octant_of(word[1]));
    case rejection:
      return carried({cosine_of(word[0], draws), cosine_of(word[1], draws)}, false);
    case polar:
      return carried(scaled(turn_of(word[1], draws.unit), unit_of(word[0], draws.unit), false),
                     false);
    case printed_polar:
      return carried(scaled(turn_of(word[1], draws.unit), unit_of(word[0], draws.unit), true),
                     true);
    case printed_octant:
      return carried(scaled(octant_of(word[1]), unit_of(word[0], draws.unit), true), true);
  }
  return {};
}

/// Numbers of one kind beside those of the definition.
class Comparison {
 public:
  void add(double seen, const Near& expected, std::uint64_t photon, std::size_t k) {
    if (expected.off == kAnything) return;
    ++compared_;
    const bool nan = std::isnan(expected.value);
    const double off = nan ? (std::isnan(seen) ? 0 : kAnything)
                           : std::fabs(seen - expected.value) / std::max(expected.off, 1e-12);
    if (!nan && expected.off > 0)
      fault_ = std::min(fault_, 2 * expected.off / std::fabs(expected.value));
    if (!(off <= farthest_)) {  // NaN stays
      farthest_ = off;
      where_ = fmt::format("{} for {:.9g}, photon {} at {}", seen, expected.value, photon, k);
    }
    wrong_ += !(off <= 1);
  }
  TestResult result(const std::string& name) const {
    return {
        name,
        fmt::format("{} of {} not of their words, the farthest {:.2g} of what rounding may do{}",
                    wrong_, compared_, farthest_, wrong_ > 0 ? ": " + where_ : ""),
        compared_ > 0 && wrong_ == 0 ? 1.0 : 0.0,
        fault_ == kAnything ? correctness::kSeesAnything
                            : fmt::format("all of them off by {:.2g} of themselves", fault_)};
  }

 private:
  std::uint64_t compared_ = 0, wrong_ = 0;
  double farthest_ = 0, fault_ = kAnything;  // the fault that shows whatever rounding does
  std::string where_;
};

/// Games of roulette beside the collisions that were made.
struct Games {
  std::uint64_t played = 0, misplaced = 0, wrong = 0;

  void add(const Collision& at, bool due, bool went_on, double survival, Draws::Unit unit) {
    if ((at.roulettes != 0) != due) ++misplaced;
    if (at.roulettes == 0) return;
    ++played;
    const Near x = unit_of(at.roulette_word, unit);
    // The chance is a float or a word.
    const double off = x.off + kHalfUnit * survival + 0x1p-32;
    if (std::fabs(x.value - survival) > off) wrong += went_on != (x.value < survival);
  }
  TestResult result() const {
    const double games = static_cast<double>(std::max<std::uint64_t>(1, played));
    return {"roulette by its words",
            fmt::format("{} of {} games decided otherwise, {} missing or too many", wrong, played,
                        misplaced),
            played > 0 && wrong == 0 && misplaced == 0 ? 1.0 : 0.0,
            // The chance that none of the words lies between both thresholds is 1 % or less.
            fmt::format("survival off by {:.2g}", 4.6 / games)};
  }
};

struct Checked {
  std::uint64_t photons = 0;
  Comparison steps;
  std::array<Comparison, 3> cosines;
  Games games;
};

void check_photon(const Trace& trace, std::uint64_t photon, const Schedule& schedule,
                  const Draws& draws, Checked& checked) {
  const auto path = trace.of(photon);
  std::size_t round = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const Collision& at = path[k];
    checked.steps.add(at.step, step_of(at.step_word, draws.unit), photon, k);
    // Only the first direction may be a fixed one.
    if (k > 0 || at.direction_words > 0) {
      const Direction expected = direction_of(at.direction_word, draws);
      const std::array<float, 3> seen{at.u, at.v, at.w};
      for (std::size_t i = 0; i < 3; ++i) checked.cosines[i].add(seen[i], expected[i], photon, k);
    }
    const bool due = round < schedule.rounds.size() && k + 1 == schedule.collisions_through(round);
    checked.games.add(at, due, trace.collisions[photon] > k + 1, schedule.survival, draws.unit);
    round += due;
  }
}

Checked checked_trace(const Trace& trace, const Medium& medium) {
  const Schedule schedule = schedule_of(medium);
  Checked checked;
  for (const Trace::Part& part : trace.parts)
    for (std::uint64_t i = 0; i < part.photons && checked.photons < trace.photons; ++i)
      check_photon(trace, checked.photons++, schedule, part.draws, checked);
  return checked;
}

}  // namespace

TestResults check_draws(const Trace& trace, const Medium& medium) {
  const Checked checked = checked_trace(trace, medium);
  return {checked.steps.result("steps of their words"),
          checked.cosines[0].result("u of its words"),
          checked.cosines[1].result("v of its words"),
          checked.cosines[2].result("w of its words"),
          checked.games.result(),
          exact("photons whose draws are told", checked.photons == trace.photons,
                fmt::format("{} of {}", checked.photons, trace.photons))};
}

TestResult check_roulette(const PhotonStage& stage, std::uint64_t photons, std::uint64_t seed) {
  // Without scattering there is a game after each collision.
  constexpr std::uint64_t kAtOnce = 1'000'000;
  constexpr std::uint32_t kCollisions = 4;
  const Medium medium{.absorption_per_cm = 22, .scattering_per_cm = 0};
  Games games;
  for (std::uint64_t done = 0; done < photons; done += kAtOnce) {
    const std::uint64_t now = std::min(kAtOnce, photons - done);
    const Trace trace = stage.trace(parameters_for(stage, medium, now, seed++), kCollisions);
    const Games more = checked_trace(trace, medium).games;
    games.played += more.played;
    games.misplaced += more.misplaced;
    games.wrong += more.wrong;
  }
  return games.result();
}

}  // namespace ratchet::tiny_mc
