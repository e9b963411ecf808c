// The CPU stages' own streams against the scalar definitions: whatever instruction set a stage is
// dispatched to, whatever the seed, and whichever worker, it draws the numbers it claims.
#include <gtest/gtest.h>

#include <algorithm>
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
    ASSERT_NE(kind_of(stage().info().name), "") << "kind_of() is to say what it draws from";
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

}  // namespace
}  // namespace ratchet::graveler
