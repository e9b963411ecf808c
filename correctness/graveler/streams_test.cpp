// The CPU stages' own streams against the scalar definitions: whatever instruction set a stage was
// dispatched to, it draws the numbers it claims.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "correctness/graveler/checks.h"
#include "kernels/support/rng/aes_weyl.h"
#include "kernels/support/rng/chacha12.h"
#include "kernels/support/rng/splitmix64.h"
#include "kernels/support/rng/wyrand.h"
#include "kernels/support/rng/xoshiro256plus.h"

namespace ratchet::graveler {
namespace {

/// Words of a lane of a group under a seed, by the scalar definitions.
using Scalar = std::function<std::uint64_t()>;
Scalar scalar_generator(const std::string& kind, std::uint64_t seed, std::uint32_t group,
                        std::uint32_t lane) {
  if (kind == "naive_wyrand")
    return [g = Wyrand(seed, group)]() mutable { return std::uint64_t{g.next32()}; };
  if (kind == "wyrand") return [g = Wyrand(seed, group)]() mutable { return g.next64(); };
  if (kind == "naive_chacha")
    return [g = ChaCha12(seed, group)]() mutable { return std::uint64_t{g.next32()}; };
  if (kind == "chacha") return [g = ChaCha12(seed, group)]() mutable { return g.next64(); };
  SplitMix64 words = seeder(seed, group);
  if (kind == "aes_weyl") {  // two lanes are the halves of one generator
    for (std::uint32_t skipped = 0; skipped < 4 * (lane / 2); ++skipped) words.next64();
    return [g = AesWeyl(words), half = lane % 2]() mutable { return g.next()[half]; };
  }
  for (std::uint32_t skipped = 0; skipped < 4 * lane; ++skipped) words.next64();
  return [g = Xoshiro256Plus(words)]() mutable { return g.next64(); };
}

/// Stages by name and the generator that each is documented to use.
struct OwnStream {
  const char* stages;
  const char* kind;
};
class OwnStreams : public testing::TestWithParam<OwnStream> {};

std::vector<unsigned> scalar_ones(const Layout& layout, const std::string& kind, std::uint64_t seed,
                                  std::uint32_t group, std::uint32_t rounds) {
  std::vector<Scalar> lanes;
  for (std::uint32_t lane = 0; lane < layout.lanes; ++lane)
    lanes.push_back(scalar_generator(kind, seed, group, lane));
  std::vector<unsigned> ones;
  std::vector<std::uint64_t> words(std::size_t{layout.lanes} * layout.words);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    for (std::uint32_t w = 0; w < layout.words; ++w)
      for (std::uint32_t lane = 0; lane < layout.lanes; ++lane)
        words[lane * layout.words + w] = lanes[lane]();
    for (std::uint32_t battle = 0; battle < layout.battles; ++battle) {
      ones.push_back(0);
      for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
        const Site site = layout.site(battle, turn);
        const std::uint64_t a = words[site.lane * layout.words + site.word_a] >> site.bit_a & 1;
        const std::uint64_t b = words[site.lane * layout.words + site.word_b] >> site.bit_b & 1;
        ones.back() += 2 * a + b == layout.hit;
      }
    }
  }
  return ones;
}

TEST_P(OwnStreams, AreTheDocumentedGenerator) {
  const std::vector<const Stage*> stages = match_stages(GetParam().stages);
  for (const Stage* stage : stages) {
    const auto& graveler = dynamic_cast<const GravelerStage&>(*stage);
    if (!stage->availability().ok) continue;
    const Trace trace = graveler.trace(trace_parameters(graveler, 77, 3), Stream::own, 3, 20);
    std::vector<unsigned> expected;
    for (std::uint32_t group = 0; group < trace.groups; ++group)
      for (const unsigned ones : scalar_ones(graveler.layout(), GetParam().kind, 77, group, 20))
        expected.push_back(ones);
    EXPECT_EQ(std::vector<unsigned>(trace.ones.begin(), trace.ones.end()), expected)
        << stage->info().name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stages, OwnStreams,
    testing::Values(OwnStream{"graveler/cpu/.*naive_chacha12", "naive_chacha"},
                    OwnStream{"graveler/cpu/.*naive_wyrand", "naive_wyrand"},
                    OwnStream{"graveler/cpu/.*_bit_and", "chacha"},
                    OwnStream{"graveler/cpu/0[56]_wyrand", "wyrand"},
                    OwnStream{"graveler/cpu/.*(xoshiro|stealing|chunk|11_threads)", "xoshiro"},
                    OwnStream{"graveler/cpu/.*aes_weyl", "aes_weyl"}));

}  // namespace
}  // namespace ratchet::graveler
