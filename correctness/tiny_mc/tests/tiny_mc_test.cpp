// Every registered tiny_mc stage against exact transport theory and the definition.
//
// A stage that this machine cannot run is skipped by name with the reason. Each test result says
// what was seen and the smallest bias it would have caught (--gtest_output=xml shows them).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "correctness/support/expect_results.h"
#include "correctness/support/paths.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/contract/check.h"
#include "kernels/support/rng/gpu_seed.h"

namespace ratchet::tiny_mc {
namespace {

std::vector<const PhotonStage*> stages(bool as_printed) {
  std::vector<const PhotonStage*> found;
  for (const Stage* stage : registry())
    if (const auto* photon_stage = dynamic_cast<const PhotonStage*>(stage))
      if (stage->info().as_printed == as_printed) found.push_back(photon_stage);
  return found;
}

std::string test_name(const testing::TestParamInfo<const PhotonStage*>& info) {
  std::string name = info.param->info().name;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

using correctness::expect;

class TinyMc : public testing::TestWithParam<const PhotonStage*> {
 protected:
  const PhotonStage& stage() const { return *GetParam(); }
  bool on_cpu() const { return computes_on_cpu(stage()); }
  /// Photons that take a CPU stage about a second, or a GPU stage much less. The text's kernels put
  /// right are a hundred times slower than the fastest, and simulate fewer by default.
  std::uint64_t photons(std::uint64_t on_a_cpu, std::uint64_t on_a_gpu) const {
    return on_cpu() ? on_a_cpu : std::min(on_a_gpu, photons_for_a_check(stage()));
  }
};

/// Tests that need the stage's device.
class TinyMcRun : public TinyMc {
  void SetUp() override {
    const Availability available = stage().availability();
    if (!available.ok) GTEST_SKIP() << stage().info().name << ": " << available.reason;
  }
};

TEST_P(TinyMc, TellsItsWalk) {
  const bool radial = stage().walk() == Walk::radial;
  EXPECT_EQ(radial, stage().info().name.find("radial") != std::string::npos);
  EXPECT_NE(std::string::npos,
            stage().info().summary.find(radial ? "(radial walk)" : "(full xyz walk)"));
}

TEST_P(TinyMcRun, RefusesParametersOutOfRange) { expect(check_refusals(stage())); }

/// Every kernel of the stage once, small enough for compute-sanitizer and for the mutation script.
TEST_P(TinyMcRun, SmallRunForSanitizers) {
  expect(check_counts(stage(), stage().sanitizer_run()));
  EXPECT_TRUE(correctness::runs_on_many_threads(stage()));
}

TEST_P(TinyMcRun, PhotonsAreExact) {
  for (const std::uint64_t photons : {0, 1, 2, 31, 32, 33, 127, 129, 255, 257, 1'023, 1'025, 4'099})
    expect(check_counts(stage(), photons));
}

/// Two runs simulate the photons of one of twice as many, whose chunks are as many and whole; and a
/// run of less than a chunk does not begin with the last one's stream again.
TEST_P(TinyMcRun, RunsGoOnWithStreamsOfTheirOwn) {
  if (!on_cpu()) GTEST_SKIP() << "runs of a GPU are seeded anew";
  const auto heat_of = [&](std::uint64_t photons, int runs) {
    Parameters parameters = parameters_for(stage(), photons, 12);
    // Streams show in few collisions as in many: a photon makes 4 of the usual 76.
    parameters.set("absorption", 1980).set("scattering", 220);
    // One photon is for one thread; others would only be waited for.
    if (photons == 1 && stage().info().threaded()) parameters.set(stage().info().threads, 1);
    const auto transport = stage().prepare_transport(parameters);
    std::vector<std::vector<double>> heat;
    for (int run = 0; run < runs; ++run) {
      transport->run();
      heat.push_back(transport->collect().heat);
    }
    return heat;
  };
  constexpr std::uint64_t kChunks = 1'100, kPhotons = 2'048;
  const auto once = heat_of(2 * kChunks * kPhotons, 1), twice = heat_of(kChunks * kPhotons, 2);
  for (std::size_t shell = 0; shell < once[0].size(); ++shell)
    EXPECT_NEAR(twice[0][shell] + twice[1][shell], once[0][shell], 2e-5 * once[0][shell]) << shell;
  const auto part = heat_of(1'000, 2);
  EXPECT_NE(part[0], part[1]);
  // A stream's number is none of 16 bits.
  const auto photon = heat_of(1, 65'537);
  EXPECT_NE(photon[65'536], photon[0]);
}

/// Looking at a result takes nothing from it.
TEST_P(TinyMcRun, CollectsTheSameTwice) {
  const auto transport = stage().prepare_transport(parameters_for(stage(), 1'000, 13));
  transport->run();
  const Tally once = transport->collect(), twice = transport->collect();
  EXPECT_EQ(once.photons, twice.photons);
  EXPECT_EQ(once.heat, twice.heat);
  EXPECT_EQ(once.heat2, twice.heat2);
}

TEST_P(TinyMcRun, PhotonsOfManyBlocksAreExact) {
  Parameters parameters = parameters_for(stage(), 20'011, 11);
  // By default one block of the text's kernel simulates more than that.
  if (parameters.has("photons_per_thread")) parameters.set("photons_per_thread", 16);
  expect(check_counts(stage(), parameters));
}

/// Every block size of the text's sweep and the largest: below a warp, and as many warps as arrays
/// of a block, fewer and more.
TEST_P(TinyMcRun, BlocksOfAnySizeLoseNoPhoton) {
  if (!stage().defaults().has("block_threads")) GTEST_SKIP() << "its blocks have one size";
  for (const std::uint64_t threads : {16, 32, 64, 256, 512, 1024})
    for (const std::uint64_t per_thread : {1, 2, 2048}) {
      Parameters parameters = parameters_for(stage(), 4'099, 65);
      parameters.set("block_threads", threads).set("photons_per_thread", per_thread);
      expect(check_counts(stage(), parameters));
      if (!parameters.has("sums")) continue;
      for (const std::uint64_t sums : {1, 2})
        expect(check_counts(stage(), parameters.set("sums", sums)));
    }
}

TEST_P(TinyMcRun, ThreadsLoseNoPhoton) {
  if (!stage().info().threaded()) GTEST_SKIP() << "one thread";
  for (const std::uint64_t threads : correctness::thread_counts())
    for (const std::uint64_t photons : {1, 17, 20'011}) {
      // What matters is who simulates a photon, not how long it goes on: 4 collisions for 76.
      Parameters parameters = parameters_for(stage(), photons, 61);
      parameters.set("absorption", 1980).set("scattering", 220);
      expect(check_counts(stage(), parameters.set(stage().info().threads, threads)));
    }
}

/// Which thread simulates which photons does not matter.
TEST_P(TinyMcRun, ThreadsDoNotChangeTheResult) {
  if (!stage().info().threaded() || stage().repeatable() == Repeatable::no)
    GTEST_SKIP() << "one thread, or sums in an order that differs";
  Parameters parameters = parameters_for(stage(), 100'003, 62);
  const Tally one = run_once(stage(), parameters.set(stage().info().threads, 1));
  for (const std::uint64_t threads : correctness::thread_counts()) {
    const Tally more = run_once(stage(), parameters.set(stage().info().threads, threads));
    EXPECT_EQ(one.heat, more.heat) << threads << " threads";
    EXPECT_EQ(one.heat2, more.heat2) << threads << " threads";
  }
}

/// 07 works in another order, on the very photons of 06: their paths are equal bit for bit, and
/// their heat up to the order of sums. About a row, a chunk, and many of either.
TEST(TinyMcOverlapped, WalksThePhotonsOf06) {
  const auto* in_turn =
      dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cpu/06_radial_openmp"));
  if (!in_turn) GTEST_SKIP() << "built without OpenMP";
  const auto& overlapped =
      dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/07_radial_overlapped_openmp"));
  for (const std::uint64_t photons : {1, 15, 16, 17, 33, 47, 63, 112, 127, 2048, 2049, 10'007}) {
    for (const std::uint64_t shells : {1, 7, 101, 1024}) {
      SCOPED_TRACE(testing::Message() << photons << " photons, " << shells << " shells");
      const auto at = [&](const PhotonStage& stage) {
        return parameters_for(stage, photons, 63).set("shells", shells);
      };
      const Tally one = run_once(*in_turn, at(*in_turn));
      const Tally other = run_once(overlapped, at(overlapped));
      ASSERT_EQ(one.heat.size(), other.heat.size());
      for (std::size_t shell = 0; shell < one.heat.size(); ++shell) {
        EXPECT_NEAR(one.heat[shell], other.heat[shell], 1e-12 * one.heat[shell]) << shell;
        EXPECT_NEAR(one.heat2[shell], other.heat2[shell], 1e-12 * one.heat2[shell]) << shell;
      }
      const Trace path = in_turn->trace(at(*in_turn), 80),
                  same = overlapped.trace(at(overlapped), 80);
      EXPECT_EQ(path.collisions, same.collisions);
      ASSERT_EQ(path.collision.size(), same.collision.size());
      EXPECT_EQ(std::memcmp(path.collision.data(), same.collision.data(),
                            path.collision.size() * sizeof(Collision)),
                0);
    }
  }
}

/// Whatever the shares of CPU and GPU, nothing is lost or done twice where they meet.
TEST_P(TinyMcRun, SharesLoseNoPhoton) {
  if (!stage().defaults().has("cpu_ppm")) GTEST_SKIP() << "a stage that shares its run with no CPU";
  for (const std::uint64_t cpu_ppm : {1, 333'333, 500'000, 999'999, 1'000'000})
    for (const std::uint64_t photons : {0, 1, 2, 3, 33, 2'049, 20'011}) {
      Parameters parameters = parameters_for(stage(), photons, 63);
      parameters.set("cpu_threads", 2).set("cpu_ppm", cpu_ppm);
      expect(check_counts(stage(), parameters));
    }
  // Both parts simulate photons of their own: equal ones would repeat each other's steps.
  Parameters parameters = parameters_for(stage(), 20'011, 64);
  parameters.set("cpu_ppm", 500'000);
  expect(check_repeats(stage().trace(parameters, 64)));
  const auto transport = stage().prepare_transport(parameters);
  transport->run();
  const Tally once = transport->collect();
  EXPECT_EQ(once.heat, run_once(stage(), parameters).heat) << "shares given, bits differ";
}

/// Every run of `shared` with `cpu_ppm` of a million photons on the CPU is the sum of the same run
/// of both parts: neither repeats an earlier run, nor is added to it.
void expect_runs_of_both_parts(const PhotonStage& shared, std::uint64_t cpu_ppm) {
  const auto& cpu = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/03_simd_openmp"));
  const auto* gpu = dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cuda/10_full_cross64"));
  for (const auto& [photons, seed] :
       {std::pair<std::uint64_t, std::uint64_t>{100'000, 91}, {200'000, 92}, {20'000, 93}}) {
    Parameters parameters = parameters_for(shared, photons, seed);
    parameters.set("cpu_threads", std::uint64_t{2}).set("cpu_ppm", cpu_ppm);
    const auto both = shared.prepare_transport(parameters);
    const std::uint64_t on_cpu = photons * cpu_ppm / 1'000'000;
    // The CPU's seed, as the stage has it.
    Parameters of_cpu = parameters_for(cpu, on_cpu, run_seed(seed, std::uint64_t{1} << 63));
    std::vector<std::unique_ptr<Transport>> parts;
    parts.push_back(cpu.prepare_transport(of_cpu.set("threads", std::uint64_t{2})));
    if (on_cpu < photons)
      parts.push_back(gpu->prepare_transport(parameters_for(*gpu, photons - on_cpu, seed)));
    for (int run = 0; run < 3; ++run) {
      Tally sum(Medium{}.shells);
      for (const auto& part : parts) {
        part->run();
        part->wait();
        sum += part->collect();
      }
      both->run();
      both->wait();
      const Tally seen = both->collect();
      EXPECT_EQ(seen.photons, photons) << "run " << run;
      EXPECT_EQ(seen.heat, sum.heat) << "run " << run << " of seed " << seed;
      EXPECT_EQ(seen.heat2, sum.heat2) << "run " << run << " of seed " << seed;
    }
  }
}

TEST_P(TinyMcRun, EveryRunIsThatOfBothParts) {
  if (!stage().defaults().has("cpu_ppm")) GTEST_SKIP() << "a stage that shares its run with no CPU";
  expect_runs_of_both_parts(stage(), 400'000);
}

/// Its CPU's part needs no GPU.
TEST(TinyMcHybrid, EveryRunIsThatOfItsCpu) {
  const auto* stage = dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/hybrid/01_cpu_and_gpu"));
  ASSERT_NE(stage, nullptr);
  if (!find_stage("tiny_mc/cpu/03_simd_openmp")) GTEST_SKIP() << "built without OpenMP";
  expect_runs_of_both_parts(*stage, 1'000'000);
}

/// The text's program: a sixteenth to the CPU, the rest to its own kernel, which has it wrong.
TEST(TinyMcHybrid, AsPrintedIsTheSumOfTheTextsTwoParts) {
  const auto& both = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/hybrid/01_cpu_and_gpu"));
  constexpr std::uint64_t kPhotons = 1'600'005, kOnCpu = 100'000, kSeed = 95;
  const Parameters right = parameters_for(both, kPhotons, kSeed);
  const Parameters printed = Parameters(right).set("printed", std::uint64_t{1});
  EXPECT_TRUE(both.as_printed_at(printed));
  EXPECT_FALSE(both.as_printed_at(right));
  if (const auto there = both.availability(); !there.ok) GTEST_SKIP() << there.reason;
  const auto& cpu = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/03_simd_openmp"));
  const auto& gpu = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cuda/01p_as_printed"));
  Tally sum = run_once(cpu, parameters_for(cpu, kOnCpu, run_seed(kSeed, std::uint64_t{1} << 63)));
  sum += run_once(gpu, parameters_for(gpu, kPhotons - kOnCpu, kSeed));
  const auto transport = both.prepare_transport(printed);
  transport->run();
  transport->wait();
  const Tally seen = transport->collect();
  EXPECT_EQ(seen.photons, kPhotons);
  for (std::uint32_t shell = 0; shell < Medium{}.shells; ++shell)  // floats, added in any order
    EXPECT_NEAR(seen.heat[shell], sum.heat[shell], 1e-4 * sum.heat[shell]) << shell;
  expect(check_timed(both, printed, *transport, 0.1));
}

TEST_P(TinyMcRun, HeatIsThatOfTransportTheory) {
  expect(check_run(stage(), Medium{}, photons(2'000'003, 200'000'003), 21));
}

/// More photons than 32 bits number, the last of them in no whole warp, where a run of so many
/// takes seconds.
TEST_P(TinyMcRun, PhotonsBeyond32BitsAreExactCuda) {
  const StageInfo& info = stage().info();
  if (info.backend != Backend::cuda || stage().defaults().has("photons_per_thread"))
    GTEST_SKIP() << "too many photons for it";
  const std::uint64_t photons = (std::uint64_t{1} << 32) + 5;
  expect(check_run(stage(), Medium{}, photons, 35));
}

/// What blocks have added in float is added in double: a float that takes millions of photons
/// stands still, as the printed kernel's does.
TEST_P(TinyMcRun, TheGridAddsInDouble) {
  if (on_cpu() || stage().info().as_printed) GTEST_SKIP() << "no grid, or the text's float";
  const Tally tally = run_once(stage(), parameters_for(stage(), 1'000'003, 33));
  const auto as_float = std::count_if(tally.heat.begin(), tally.heat.end(), [](double heat) {
    return heat == static_cast<double>(static_cast<float>(heat));
  });
  EXPECT_LT(2 * as_float, static_cast<std::ptrdiff_t>(tally.heat.size()))
      << "of " << tally.heat.size() << " shells " << as_float << " hold what a float could";
}

TEST_P(TinyMcRun, PathsFollowTheirLaws) { expect(check_trace(stage(), 50'021, 31)); }

/// Photons that collide a thousand times and more. So a stream or chunk that begins again after
/// tens of draws shows twice in one of them.
TEST_P(TinyMcRun, NoWordServesTwiceInAThousandCollisions) {
  const Medium medium{.absorption_per_cm = 1, .scattering_per_cm = 145};
  const Parameters parameters = parameters_for(stage(), medium, 2'100, 38);
  const Trace trace = stage().trace(parameters, 1'100);
  ASSERT_GT(*std::min_element(trace.collisions.begin(), trace.collisions.end()), 1'000u);
  expect({check_words_used_once(trace)});
  if (on_cpu()) expect(check_repeats(trace));  // streams of the text's generator may overlap
}

/// Of nine million games nine have words between the chance of survival and one that is 1e-5 of it
/// larger or smaller.
TEST_P(TinyMcRun, RouletteIsDecidedByItsWord) { expect({check_roulette(stage(), 8'000'000, 36)}); }

TEST_P(TinyMcRun, OtherShells) {
  for (const std::uint32_t shells : {1u, 2u, 32u, 33u})
    expect(check_run(stage(), {.shells = shells, .microns_per_shell = 150},
                     photons(200'003, 10'000'019), 41 + shells));
  expect(check_run(stage(), {.shells = 1000, .microns_per_shell = 5}, photons(200'003, 10'000'019),
                   42));
  expect(check_run(stage(), {.shells = 1024, .microns_per_shell = 1}, photons(100'003, 10'000'019),
                   43));
}

/// About the strides at which counters change their layout: thin shells, so that most collisions
/// lie beyond the last, and a counter of another collision shows.
TEST_P(TinyMcRun, ShellsAboutTheLengthOfARow) {
  for (const std::uint32_t shells :
       {63u, 65u, 103u, 104u, 105u, 112u, 127u, 128u, 129u, 255u, 257u})
    expect(check_run(stage(), {.shells = shells, .microns_per_shell = 5},
                     photons(5'003, 10'000'019), 200 + shells));
}

TEST_P(TinyMcRun, OtherAlbedos) {
  // Nothing but absorption; half and half; hardly any absorption: 7162 collisions a photon.
  expect(check_run(stage(), {.absorption_per_cm = 22, .scattering_per_cm = 0},
                   photons(500'009, 20'000'003), 51));
  expect(check_run(stage(), {.absorption_per_cm = 11, .scattering_per_cm = 11},
                   photons(500'009, 20'000'003), 52));
  expect(check_run(stage(), {.absorption_per_cm = 0.22, .scattering_per_cm = 219.78},
                   photons(10'007, 2'000'003), 53));
}

TEST_P(TinyMcRun, OtherAlbedosPhotonByPhoton) {
  for (const auto& [absorption, scattering] : {std::pair{2200, 0}, {1100, 1100}, {22, 21978}}) {
    Parameters parameters = parameters_for(stage(), 301, 71);
    parameters.set("absorption", absorption).set("scattering", scattering);
    // So that not all photons are simulated by two threads.
    if (parameters.has("photons_per_thread")) parameters.set("photons_per_thread", 16);
    expect(check_counts(stage(), parameters));
    expect(check_counts(stage(), parameters.set("shells", 1000)));
  }
}

TEST_P(TinyMcRun, SeedsDecideTheResult) { expect(check_seeds(stage(), 50'021)); }

TEST_P(TinyMcRun, RelatedSeedsGiveUnrelatedPhotons) { expect(check_related_seeds(stage())); }

/// As many photons as are affordable, by default twice the benchmark's: here an error of float sums
/// shows, since theirs grows with N and the statistical one shrinks. The text's hierarchy of float
/// sums gets the text's largest number.
TEST_P(TinyMcRun, FloatSumsDoNotDrift) {
  if (on_cpu()) GTEST_SKIP() << "it counts, or sums in double";
  const bool text = stage().info().name == "tiny_mc/cuda/04_three_level";
  const std::uint64_t largest = std::uint64_t{1} << 31;
  const std::uint64_t on_a_gpu = text ? largest : 2 * stage().defaults().at("photons");
  const TestResults tests = check_run(stage(), Medium{}, on_a_gpu, 81);
  expect(tests);
  if (text)
    for (const auto& test : tests) std::printf("%s: %s\n", test.name.c_str(), test.seen.c_str());
}

TEST_P(TinyMcRun, PassesItsQuickCheck) {
  const CheckResult result = quick_check(stage());
  EXPECT_TRUE(result.passed) << result.detail;
}

/// What float sums cost, and nothing else: 03 sums the very photons of 04 in double.
TEST(TinyMcFloatSums, StayWithinTheirBound) {
  const auto* floats = dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cuda/04_three_level"));
  const auto* doubles = dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cuda/03_global_heat"));
  if (!floats || !doubles) GTEST_SKIP() << "built without CUDA";
  if (!floats->availability().ok) GTEST_SKIP() << floats->availability().reason;
  // The text's best shape, and the one that makes the most blocks of the fewest photons.
  for (const SumShape shape : {SumShape{128, 256}, SumShape{16, 1}})
    for (const std::uint32_t shells : {1u, 101u})
      for (const std::uint64_t photons : {1u << 16, 1u << 20, 1u << 24}) {
        const TestResults tests =
            check_float_sums(*floats, *doubles, {.shells = shells}, photons, shape);
        expect(tests);
        std::printf("%s: %s\n", tests[0].name.c_str(), tests[0].seen.c_str());
      }
}

/// What no launch can number is simulated by several, each with a seed of its own: the heat is that
/// of a first run of 2^36 photons, which is one launch, and a second run of the rest. Of the stages
/// that share this, the fastest.
TEST(TinyMcLaunches, OfOneRunDrawAfreshCuda) {
  const auto* stage =
      dynamic_cast<const PhotonStage*>(find_stage("tiny_mc/cuda/11_radial_cross64"));
  if (!stage) GTEST_SKIP() << "built without CUDA";
  if (!stage->availability().ok) GTEST_SKIP() << stage->availability().reason;
  // The rest fills the grid, upon which the streams depend.
  constexpr std::uint64_t kLaunch = std::uint64_t{1} << 36, kRest = (1u << 24) + 3;
  const Tally both = run_once(*stage, parameters_for(*stage, kLaunch + kRest, 37));
  EXPECT_EQ(both.photons, kLaunch + kRest);
  const auto rest = stage->prepare_transport(parameters_for(*stage, kRest, 37));
  rest->run();
  Tally other_rest = rest->collect();
  rest->run();
  Tally parts = run_once(*stage, parameters_for(*stage, kLaunch, 37));
  other_rest += parts;
  parts += rest->collect();
  double differ = 0;
  for (std::size_t shell = 0; shell < both.heat.size(); ++shell) {
    EXPECT_NEAR(parts.heat[shell], both.heat[shell], 1e-12 * both.heat[shell]) << shell;
    differ = std::max(differ, std::fabs(other_rest.heat[shell] / both.heat[shell] - 1));
  }
  EXPECT_GT(differ, 1e-10) << "the comparison does not tell which run the rest was";
}

class TinyMcAsPrinted : public TinyMcRun {};

/// Wrong physics is no excuse for a wrong address.
TEST_P(TinyMcAsPrinted, SmallRunForSanitizers) {
  const Parameters parameters = stage().sanitizer_run();
  EXPECT_EQ(run_once(stage(), parameters).photons, parameters.at("photons"));
  EXPECT_EQ(stage().trace(parameters, 4).collisions.size(), parameters.at("photons"));
}

TEST_P(TinyMcAsPrinted, ShowsTheErrorOfTheText) {
  const TestResults tests = check_as_printed(stage(), photons(200'003, 20'000'003));
  expect(tests);
  for (const auto& test : tests) std::printf("%s: %s\n", test.name.c_str(), test.seen.c_str());
}

/// More photons than 32 bits number, the last of them in no whole thread.
TEST_P(TinyMcAsPrinted, PhotonsBeyond32BitsAreExactCuda) {
  if (on_cpu()) GTEST_SKIP() << "too many photons for it";
  const std::uint64_t photons = (std::uint64_t{1} << 32) + 100;
  EXPECT_EQ(run_once(stage(), parameters_for(stage(), photons, 35)).photons, photons);
}

/// What stages and their checks alike take a medium from.
TEST(TinyMcMedium, IsWhatItsParametersSay) {
  for (const PhotonStage* stage : stages(false)) {
    Parameters parameters = stage->defaults();
    parameters.set("absorption", 123).set("scattering", 21'978);
    parameters.set("shells", 77).set("shell_um", 13);
    const Medium medium = medium_of(parameters);
    EXPECT_DOUBLE_EQ(medium.absorption_per_cm, 1.23);
    EXPECT_DOUBLE_EQ(medium.scattering_per_cm, 219.78);
    EXPECT_EQ(medium.shells, 77u);
    EXPECT_DOUBLE_EQ(medium.microns_per_shell, 13);
  }
}

TEST(TinyMcStages, AreRegistered) { EXPECT_FALSE(stages(false).empty()); }

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(TinyMcAsPrinted);
INSTANTIATE_TEST_SUITE_P(Stages, TinyMc, testing::ValuesIn(stages(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Stages, TinyMcRun, testing::ValuesIn(stages(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Stages, TinyMcAsPrinted, testing::ValuesIn(stages(true)), test_name);

}  // namespace
}  // namespace ratchet::tiny_mc
