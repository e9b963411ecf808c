// Words shared by photons, in traces made here: of the generator of the text's kernel, its threads
// seeded as tiny_mc/cuda/03_global_heat seeds them, and seeded wrong.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <numbers>

#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/support/rng/gpu_seed.h"

namespace ratchet::tiny_mc {
namespace {

constexpr std::uint64_t kPhotons = 50'021, kPerThread = 256;
constexpr std::uint32_t kCollisions = 16;

using State = std::array<std::uint32_t, 4>;
using StateOf = std::function<State(std::uint64_t thread)>;

State state_of(std::uint64_t a, std::uint64_t b) {
  const auto half = [](std::uint64_t word, int i) {
    return static_cast<std::uint32_t>(word >> 32 * i) | 1u;
  };
  return {half(a, 0), half(a, 1), half(b, 0), half(b, 1)};
}

std::array<double, 4> next(State& state) {
  std::array<double, 4> uniforms;
  for (int i = 0; i < 4; ++i) {
    state[i] ^= state[i] << 13;
    state[i] ^= state[i] >> 17;
    state[i] ^= state[i] << 5;
    uniforms[i] = ((state[i] >> 9) + 0.5) * 0x1p-23;
  }
  return uniforms;
}

/// Photons of sixteen collisions: a step of the first word, the direction behind it of the second
/// and the third, as Polar draws it.
Trace trace_of(const StateOf& first_state) {
  Trace trace = sized_trace(kPhotons, kCollisions, Draws{});
  State state;
  for (std::uint64_t photon = 0; photon < kPhotons; ++photon) {
    if (photon % kPerThread == 0) state = first_state(photon / kPerThread);
    trace.collisions[photon] = kCollisions;
    double u = 0, v = 0, w = 1;
    for (std::uint32_t k = 0; k < kCollisions; ++k) {
      const auto uniforms = next(state);
      trace.collision[photon * kCollisions + k] = {
          .step = static_cast<float>(-std::log(uniforms[0])),
          .u = static_cast<float>(u),
          .v = static_cast<float>(v),
          .w = static_cast<float>(w)};
      u = 2 * uniforms[1] - 1;
      const double across = std::sqrt(1 - u * u), turn = 2 * std::numbers::pi * uniforms[2];
      v = across * std::sin(turn);
      w = across * std::cos(turn);
    }
  }
  return trace;
}

correctness::TestResult checked(const char* name, const Trace& trace) {
  const auto& stage = dynamic_cast<const PhotonStage&>(*find_stage(name));
  Parameters parameters = parameters_for(stage, kPhotons, 1);
  if (parameters.has("photons_per_thread")) parameters.set("photons_per_thread", kPerThread);
  return check_shared_words(trace, stage, parameters);
}
correctness::TestResult checked(const char* name, const StateOf& first_state) {
  return checked(name, trace_of(first_state));
}

constexpr char kText[] = "tiny_mc/cuda/03_global_heat", kOther[] = "tiny_mc/cuda/08_full_walk";

class TinyMcWords : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {kText, kOther})
      if (!find_stage(name)) GTEST_SKIP() << name << " is not in this build";
  }
};

/// At one seed in four two of the 588 streams overlap, which another generator's must not.
TEST_F(TinyMcWords, StreamsOfTheTextOverlapAsOftenAsTheirCycleIsShort) {
  unsigned overlapping = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Trace trace = trace_of([&](std::uint64_t thread) {
      const std::uint64_t first = mix64(mix64(seed)) + 2 * thread;
      return state_of(mix64(first), mix64(first + 1));
    });
    const auto result = checked(kText, trace);
    EXPECT_FALSE(result.rejected()) << result.seen << " (p = " << result.p << ")";
    overlapping += checked(kOther, trace).rejected();
  }
  EXPECT_GT(overlapping, 0u);
  EXPECT_LT(overlapping, 4u);
}

/// The fault second_tiny_mc_xorshift_neighbours_share_half.
TEST_F(TinyMcWords, NeighboursThatShareHalfOfTheirStateAreSeen) {
  const auto result = checked(kText, [](std::uint64_t thread) {
    return state_of(mix64(12'345 + thread), mix64(12'346 + thread));
  });
  EXPECT_TRUE(result.rejected()) << result.seen << " (p = " << result.p << ")";
}

/// One photon in a hundred takes another one's steps for its directions.
TEST_F(TinyMcWords, AFewSharedWordsAreSeenWhereNoneMayBe) {
  const auto result = checked(kOther, [](std::uint64_t thread) {
    State state = state_of(mix64(77 + 2 * thread), mix64(78 + 2 * thread));
    if (thread == 1) state[1] = state_of(mix64(77), mix64(78))[0];
    return state;
  });
  EXPECT_TRUE(result.rejected()) << result.seen << " (p = " << result.p << ")";
}

}  // namespace
}  // namespace ratchet::tiny_mc
