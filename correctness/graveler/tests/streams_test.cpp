// The CPU stages' own streams against the scalar definitions: whatever instruction set a stage is
// dispatched to, whatever the seed, and whichever worker, it draws the numbers it claims.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "correctness/graveler/checks/checks.h"
#include "correctness/support/paths.h"
#include "correctness/support/related_seeds.h"
#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/support/rng/aes_weyl.h"
#include "kernels/support/rng/chacha12.h"
#include "kernels/support/rng/splitmix64.h"
#include "kernels/support/rng/wyrand.h"
#include "kernels/support/rng/xorwow.h"
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

/// The generator that a stage is documented to use.
std::string kind_of(const std::string& stage) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {"naive_chacha12", "naive_chacha"},
      {"naive_wyrand", "naive_wyrand"},
      {"bit_and", "chacha"},
      {"wyrand", "wyrand"},
      {"aes_weyl", "aes_weyl"},
      {"mpi/01_shards", "aes_weyl"},
      {"xoshiro", "xoshiro"},
      {"09_work_stealing", "xoshiro"},
      {"10_chunk_per_task", "xoshiro"},
      {"11_threads", "xoshiro"}};
  for (const auto& [part, kind] : kinds)
    if (stage.find(part) != stage.npos) return kind;
  return "";
}

std::vector<Site> sites_of_round(const Layout& layout) {
  std::vector<Site> sites;
  for (std::uint32_t battle = 0; battle < layout.battles; ++battle)
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) sites.push_back(layout.site(battle, turn));
  return sites;
}

std::vector<unsigned> scalar_ones(const Layout& layout, const std::string& kind, std::uint64_t seed,
                                  std::uint32_t groups, std::uint32_t rounds) {
  const std::vector<Site> sites = sites_of_round(layout);
  std::vector<unsigned> ones;
  std::vector<std::uint64_t> words(std::size_t{layout.lanes} * layout.words);
  const auto bit = [&](std::uint32_t lane, std::uint32_t word, std::uint32_t index) {
    return words[lane * layout.words + word] >> index & 1;
  };
  for (std::uint32_t group = 0; group < groups; ++group) {
    std::vector<Scalar> lanes;
    for (std::uint32_t lane = 0; lane < layout.lanes; ++lane)
      lanes.push_back(scalar_generator(kind, seed, group, lane));
    for (std::uint32_t round = 0; round < rounds; ++round) {
      for (std::uint32_t w = 0; w < layout.words; ++w)
        for (std::uint32_t lane = 0; lane < layout.lanes; ++lane)
          words[lane * layout.words + w] = lanes[lane]();
      for (std::uint32_t battle = 0; battle < layout.battles; ++battle) {
        ones.push_back(0);
        for (std::uint32_t turn = 0; turn < kTurns; ++turn) {
          const Site& site = sites[battle * kTurns + turn];
          const std::uint64_t two =
              2 * bit(site.lane, site.word_a, site.bit_a) + bit(site.lane, site.word_b, site.bit_b);
          ones.back() += two == layout.hit;
        }
      }
    }
  }
  return ones;
}

std::vector<const CpuStage*> cpu_stages() {
  std::vector<const CpuStage*> found;
  for (const Stage* stage : registry())
    if (const auto* one = dynamic_cast<const CpuStage*>(stage)) found.push_back(one);
  return found;
}

std::string test_name(const testing::TestParamInfo<const CpuStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

class OwnStreams : public testing::TestWithParam<const CpuStage*> {
 protected:
  const CpuStage& stage() const { return *GetParam(); }

  void SetUp() override {
    ASSERT_NE(kind_of(stage().info().name), "") << "name its generator in kind_of(), in this file";
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }

  /// Of the first `groups` workers, or of all that the stage has under as many threads.
  void expect_documented(std::uint64_t seed, std::uint32_t groups, std::uint32_t rounds) const {
    const Parameters parameters = parameters_for(stage(), 1, seed, groups);
    const Trace trace = stage().trace(parameters, Stream::own, groups, rounds);
    if (stage().info().threaded()) {
      EXPECT_EQ(trace.groups, groups) << "threads";
    }
    EXPECT_EQ(
        std::vector<unsigned>(trace.ones.begin(), trace.ones.end()),
        scalar_ones(stage().layout(), kind_of(stage().info().name), seed, trace.groups, rounds))
        << "seed " << seed;
  }
};

TEST_P(OwnStreams, AreTheDocumentedGenerator) {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  targets.push_back(0);  // what the machine would take, which a stage alone may be compiled for
  for (const std::int64_t target : targets) {
    SCOPED_TRACE(target == 0 ? "this machine's own" : hwy::TargetName(target));
    const correctness::OneTarget only(target);
    if (stage().availability().ok) expect_documented(77, 3, 20);
  }
}

/// No seed is taken for another, however few or many bits it has.
TEST_P(OwnStreams, AreTheDocumentedGeneratorUnderAnySeed) {
  for (const std::uint64_t seed : correctness::special_seeds()) expect_documented(seed, 1, 4);
}

/// Up to the most that can be asked for.
TEST_P(OwnStreams, AreTheDocumentedGeneratorOfAnyWorker) { expect_documented(78, 1024, 1); }

INSTANTIATE_TEST_SUITE_P(Stages, OwnStreams, testing::ValuesIn(cpu_stages()), test_name);

// What the text's generator does to a battle: XORWOW leans, and no stage that rolls by it is to
// blame for that. Nothing here is a stage's: the words are those of XORWOW as it is published.

/// Seven pairs of words, and seven rolls of the eighth, as graveler/cuda/02_xorwow plays them.
using Outcomes = std::array<std::uint32_t, 8>;
template <class Words>
Outcomes battle(Words& words) {
  Outcomes outcomes;
  for (std::uint32_t& outcome : outcomes) {
    const std::uint32_t first = words.next32();
    outcome = first & words.next32();
  }
  return outcomes;
}

/// Covariance over its standard deviation. It is of the rolls at bits 31 and 30 of an outcome with
/// those two bits lower of the outcome before the last. All outcomes have seven whole words.
template <class Words>
double z_of_highest_rolls(std::uint64_t battles) {
  std::uint64_t both = 0, pairs = 0;
  constexpr std::uint64_t kInARow = 1000;
  for (std::uint64_t seed = 1; seed <= battles / kInARow; ++seed) {
    Words words(seed * 0xd1342543de82ef95u);
    for (int i = 0; i < 16; ++i) words.next32();  // of a seed's first words more is known
    for (std::uint64_t b = 0; b < kInARow; ++b) {
      const Outcomes outcomes = battle(words);
      for (std::size_t i = 0; i < 5; ++i, pairs += 2)
        both += static_cast<std::uint64_t>(
            std::popcount(outcomes[i + 2] >> 30 & outcomes[i] >> 28 & 3));
    }
  }
  const double n = static_cast<double>(pairs), p = 1.0 / 16;
  return (static_cast<double>(both) - n * p) / std::sqrt(n * p * (1 - p));
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), as a control.
struct Control {
  explicit Control(std::uint64_t seed) : state(seed) {}
  std::uint32_t next32() {
    std::uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
  }
  std::uint64_t state;
};

TEST(GravelerXorwow, OutcomesFourWordsApartLeanAtTheHighestBits) {
  constexpr std::uint64_t kBattles = 40'000'000;
  // Some 0.00013 of a covariance whose deviation is 0.000012.
  EXPECT_GT(z_of_highest_rolls<Xorwow>(kBattles), 6);
  EXPECT_LT(std::abs(z_of_highest_rolls<Control>(kBattles)), 4.5);
}

}  // namespace

}  // namespace ratchet::graveler
