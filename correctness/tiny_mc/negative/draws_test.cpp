// The check of a trace's words passes the rounding of floats and the hardware's approximations, and
// rejects errors of 1e-5. The traces are made here, also for the ways in which GPUs draw: as the
// kernel has them, but with the hardware's functions as far off as their documents allow.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <utility>

#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

constexpr float kRight = 1, kLow = 1 - 1e-5f, kHigh = 1 + 1e-5f;
constexpr std::uint32_t kPhotons = 2'000;

/// What is planted: factors of all steps, of u, v or w, and of the chance to survive.
struct Fault {
  float step = kRight, cosine[3] = {kRight, kRight, kRight};
  double survival = 1;
};

struct Direction {
  float u, v, w;
};

class Maker {
 public:
  explicit Maker(const Draws& draws) : draws_(draws) {}

  /// Photons up to their first roulette, whose survivors make one collision more.
  Trace trace(const Fault& fault) {
    const Schedule schedule = schedule_of(Medium{});
    const std::uint32_t collisions = schedule.collisions_through(0);
    Trace trace = sized_trace(kPhotons, collisions, draws_);
    for (std::uint32_t photon = 0; photon < kPhotons; ++photon) {
      for (std::uint32_t k = 0; k < collisions; ++k)
        trace.collision[photon * collisions + k] = collision(fault);
      Collision& last = trace.collision[(photon + 1) * collisions - 1];
      last.roulette_word = random_();
      last.roulettes = 1;
      const bool on = unit(last.roulette_word) <= schedule.survival * fault.survival;
      trace.collisions[photon] = collisions + on;
    }
    return trace;
  }

 private:
  /// Exact but for a bound of what the hardware may do.
  float near(double exact, double bound) {
    return static_cast<float>(exact + bound * std::uniform_real_distribution<>(-1, 1)(random_));
  }
  float unit(std::uint32_t word) const {
    switch (draws_.unit) {
      case Draws::Unit::middles:
        return (static_cast<float>(word >> 9) + 0.5f) * 0x1p-23f;
      case Draws::Unit::odd:
        return static_cast<float>(word) * 0x1p-32f;
      case Draws::Unit::printed_shifts:
        return (static_cast<float>(static_cast<std::int32_t>(word)) + 2147483647.0f) /
               4294967296.0f;
      case Draws::Unit::curand:
        return static_cast<float>(word) * 2.3283064e-10f + 2.3283064e-10f / 2;
    }
    return 0;
  }
  float log2(double x, bool near_one) {
    return near(std::log2(x), near_one ? 0x1p-22 : 0x1p-22 * std::fabs(std::log2(x)));
  }
  float step(std::uint32_t word) {
    if (draws_.unit != Draws::Unit::odd) {
      const float x = unit(word);
      return -0.693147181f * log2(x, x > 0.5f);
    }
    const double shells = Medium{}.shells_per_mean_free_path();
    const float to_length = static_cast<float>(-std::numbers::ln2 * shells);
    const float full = std::nextafter(static_cast<float>(32 * std::numbers::ln2 * shells),
                                      std::numeric_limits<float>::infinity());
    return std::fma(log2(static_cast<float>(word | 1u), false), to_length, full) /
           static_cast<float>(shells);
  }
  static float signed_word(std::uint32_t word) {
    return static_cast<float>(static_cast<std::int32_t>(word));
  }
  float root(float x) { return near(std::sqrt(x), 0x1p-23 * std::sqrt(x)); }

  Direction about_w(std::uint32_t one, std::uint32_t other) {
    const float w = signed_word(one) * 0x1p-31f;
    const float angle = signed_word(other) * (3.14159265358979f * 0x1p-31f);
    const float across = root(std::fabs(std::fma(-w, w, 1.0f)));
    return {across * near(std::cos(angle), 0x1p-20), across * near(std::sin(angle), 0x1p-20), w};
  }
  Direction of_disc(std::uint32_t one, std::uint32_t other) {
    const bool printed = draws_.direction == Draws::Direction::printed_polar;
    const double turns = 2.0f * unit(other);
    const float sine = near(std::sin(std::numbers::pi * turns), 0x1p-25);
    const float cosine = near(std::cos(std::numbers::pi * turns), 0x1p-25);
    const float r = root(unit(one));
    return carried(printed ? std::fma(2.0f * r, sine, -1.0f) : r * sine,
                   printed ? std::fma(2.0f * r, cosine, -1.0f) : r * cosine);
  }
  Direction carried(float x1, float x2) {
    const float square = std::fma(x1, x1, x2 * x2), u = std::fma(2.0f, square, -1.0f);
    const float scale = root(std::fma(-u, u, 1.0f) / square);
    return {u, x1 * scale, x2 * scale};
  }
  Direction direction(std::uint32_t (&word)[2]) {
    switch (draws_.direction) {
      case Draws::Direction::radial:
        return {0, 0, signed_word(word[0]) * 0x1p-31f};
      case Draws::Direction::height_and_angle:
        return about_w(word[0], word[1]);
      case Draws::Direction::rejection:
        break;
      default:
        return of_disc(word[0], word[1]);
    }
    const auto cosine = [&](int i) { return std::fma(2.0f, unit(word[i]), -1.0f); };
    while (std::fma(cosine(0), cosine(0), cosine(1) * cosine(1)) > 1)
      for (std::uint32_t& each : word) each = random_();
    return carried(cosine(0), cosine(1));
  }
  Collision collision(const Fault& fault) {
    Collision at;
    at.step_word = random_();
    at.step = step(at.step_word) * fault.step;
    at.direction_words = draws_.direction == Draws::Direction::radial ? 1 : 2;
    for (int i = 0; i < at.direction_words; ++i) at.direction_word[i] = random_();
    const Direction to = direction(at.direction_word);
    at.u = to.u * fault.cosine[0];
    at.v = to.v * fault.cosine[1];
    at.w = to.w * fault.cosine[2];
    return at;
  }

  Draws draws_;
  std::mt19937 random_{1};
};

/// The stages of a GPU.
const std::pair<const char*, Draws> kWays[] = {
    {"09", {Draws::Unit::odd, Draws::Direction::radial, true}},
    {"08", {Draws::Unit::odd, Draws::Direction::height_and_angle, true}},
    {"03, 04, 05, 07", {Draws::Unit::middles, Draws::Direction::polar, false}},
    {"06, 06b", {Draws::Unit::middles, Draws::Direction::rejection, false}},
    {"01p", {Draws::Unit::printed_shifts, Draws::Direction::printed_polar, false}},
    {"02p", {Draws::Unit::curand, Draws::Direction::printed_polar, false}}};

std::string rejected(const TestResults& tests) {
  std::string names;
  for (const auto& test : tests)
    if (test.rejected()) names += test.name + ": " + test.seen + "\n";
  return names;
}

TEST(TinyMcDraws, RoundingIsNoFault) {
  for (const auto& [stages, draws] : kWays)
    EXPECT_EQ(rejected(check_draws(Maker(draws).trace({}), Medium{})), "") << stages;
}

TEST(TinyMcDraws, AStepOffByAHundredThousandthIsSeen) {
  for (const auto& [stages, draws] : kWays)
    for (const float factor : {kLow, kHigh}) {
      const auto tests = check_draws(Maker(draws).trace({.step = factor}), Medium{});
      EXPECT_TRUE(tests[0].rejected()) << stages << ": " << tests[0].seen;
    }
}

TEST(TinyMcDraws, ACosineOffByAHundredThousandthIsSeen) {
  for (const auto& [stages, draws] : kWays)
    for (const std::size_t i : {0, 1, 2}) {
      if (draws.direction == Draws::Direction::radial && i < 2) continue;
      for (const float factor : {kLow, kHigh}) {
        Fault fault;
        fault.cosine[i] = factor;
        const auto tests = check_draws(Maker(draws).trace(fault), Medium{});
        EXPECT_TRUE(tests[1 + i].rejected()) << stages << ": " << tests[1 + i].seen;
      }
    }
}

/// Of 2000 games; the test of a stage plays nine million.
TEST(TinyMcDraws, ASurvivalThatIsOffIsSeen) {
  for (const auto& [stages, draws] : kWays) {
    const auto tests = check_draws(Maker(draws).trace({.survival = 1.1}), Medium{});
    EXPECT_TRUE(tests[4].rejected()) << stages << ": " << tests[4].seen;
  }
}

Trace right_trace() { return Maker(kWays[1].second).trace({}); }

/// One photon of all goes on though its word lies beyond the chance by 1e-5 of it.
TEST(TinyMcDraws, AGameDecidedAgainstItsWordIsSeen) {
  Trace trace = right_trace();
  trace.collisions[7] = trace.capacity + 1;
  Collision& last = trace.collision[8 * trace.capacity - 1];
  last.roulette_word = static_cast<std::uint32_t>(0.1 * (1 + 1e-5) * 0x1p32);
  EXPECT_TRUE(check_draws(trace, Medium{})[4].rejected());
  last.roulette_word = static_cast<std::uint32_t>(0.1 * (1 - 1e-5) * 0x1p32);
  EXPECT_FALSE(check_draws(trace, Medium{})[4].rejected());
}

TEST(TinyMcDraws, AGameThatIsMissingOrTooManyIsSeen) {
  Trace missing = right_trace(), more = missing;
  missing.collision[missing.capacity - 1].roulettes = 0;
  more.collision[more.capacity - 2].roulettes = 1;
  EXPECT_TRUE(check_draws(missing, Medium{})[4].rejected());
  EXPECT_TRUE(check_draws(more, Medium{})[4].rejected());
}

TEST(TinyMcDraws, ADirectionWithoutWordsIsSeen) {
  Trace trace = right_trace();
  const auto forget = [&](std::size_t k) {
    Collision& at = trace.collision[k];
    at.direction_word[0] = at.direction_word[1] = at.direction_words = 0;
  };
  forget(0);  // a photon's first may be fixed
  EXPECT_EQ(rejected(check_draws(trace, Medium{})), "");
  forget(1);
  EXPECT_NE(rejected(check_draws(trace, Medium{})), "");
}

TEST(TinyMcDraws, APhotonOfWhichNobodyTellsHowItDrawsIsSeen) {
  Trace trace = right_trace();
  --trace.parts[0].photons;
  EXPECT_NE(rejected(check_draws(trace, Medium{})), "");
}

TEST(TinyMcDraws, WordsUsedTwiceAreSeen) {
  Trace trace = right_trace();
  EXPECT_FALSE(check_words_used_once(trace).rejected());
  for (std::size_t photon = 0; photon < kPhotons; photon += 100) {
    Collision& at = trace.collision[photon * trace.capacity + 5];
    at.step_word = at.direction_word[1];
  }
  EXPECT_TRUE(check_words_used_once(trace).rejected());
}

}  // namespace
}  // namespace ratchet::tiny_mc
