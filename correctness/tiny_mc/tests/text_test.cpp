// What the text says of the reduction over its shared arrays, counted: the printed loop, thread by
// thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/contract/program.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "perf/study/run/run.h"

namespace ratchet::tiny_mc {
namespace {

constexpr unsigned kArrays = 8;  // of the text's example
constexpr unsigned kThreads = 128;

/// What the text's tree makes of kArrays arrays of `length`: the sums, and what each thread added
/// in each round.
struct Tree {
  std::vector<double> first;
  std::vector<std::vector<unsigned>> additions;
};
Tree tree_of(unsigned length) {
  std::vector<double> shared(std::size_t{kArrays} * length);
  std::iota(shared.begin(), shared.end(), 1.0);
  Tree tree;
  for (unsigned size = kArrays / 2; 0 < size; size /= 2) {
    std::vector<unsigned> additions(kThreads);
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      const unsigned group_size = kThreads / size, group = thread / group_size;
      for (unsigned i = thread % group_size; i < length; i += group_size, ++additions[thread])
        shared[group * length + i] += shared[(group + size) * length + i];
    }
    tree.additions.push_back(additions);
  }
  tree.first.assign(shared.begin(), shared.begin() + length);
  return tree;
}

unsigned most(const std::vector<unsigned>& additions) {
  return *std::max_element(additions.begin(), additions.end());
}

/// "To make the most of all threads of the block": in every round all of them add, and none more
/// than one addition more than another. What that saves is little: the longest way is 13 additions
/// in three rounds, where a plain sum over the arrays, a thread a value, takes 14 in one.
TEST(TinyMcText, TheTreeSharesItsWorkEvenlyAndSavesOneAdditionOfFourteen) {
  const unsigned length = 2 * Medium{}.shells;
  ASSERT_EQ(202u, length);
  const Tree tree = tree_of(length);
  for (unsigned i = 0; i < length; ++i) {
    double sum = 0;
    for (unsigned array = 0; array < kArrays; ++array) sum += array * length + i + 1;
    EXPECT_EQ(sum, tree.first[i]) << i;
  }
  unsigned longest = 0;
  for (const auto& additions : tree.additions) {
    const unsigned least = *std::min_element(additions.begin(), additions.end());
    EXPECT_GT(least, 0u);
    EXPECT_LE(most(additions), least + 1);
    longest += most(additions);
  }
  EXPECT_EQ(13u, longest);
  std::vector<unsigned> plain(kThreads);
  for (unsigned i = 0; i < length; ++i) plain[i % kThreads] += kArrays - 1;
  EXPECT_EQ(14u, most(plain));
}

/// What an H200 lost (STAGES.md, "Rounding"), the emulation loses, too: so a GPU's sums can be
/// held to it.
TEST(TinyMcText, EmulatedFloatSumsLoseWhatAGpuLost) {
  const auto lost = [](std::uint32_t shells, const SumShape& shape) {
    const Medium medium{.shells = shells};
    const FloatSums sums = emulated_float_sums(medium, shape, std::uint64_t{1} << 16, 5);
    return worst_loss(sums.floats, sums.exact, heat_law(medium).heat);
  };
  EXPECT_NEAR(lost(101, {128, 256}), 5.4e-6, 0.4e-6);
  EXPECT_NEAR(lost(1, {128, 256}), 1.8e-5, 0.1e-5);
  EXPECT_NEAR(lost(101, {16, 1}), 1.3e-8, 0.2e-8);
  EXPECT_NEAR(lost(1, {16, 1}), 5.2e-8, 0.4e-8);
}

/// The bound that the checks of heat allow lies above what the sums lose, and not far.
TEST(TinyMcText, TheBoundOfFloatSumsIsClose) {
  const Medium one_shell{.shells = 1};
  const double deposits = heat_law(one_shell).heat.expected[0].deposits;
  for (const SumShape shape : {SumShape{128, 256}, SumShape{512, 64}, SumShape{32, 2048}}) {
    const FloatSums sums = emulated_float_sums(one_shell, shape, std::uint64_t{1} << 16, 5);
    const double lost = worst_loss(sums.floats, sums.exact, heat_law(one_shell).heat);
    const Parameters parameters("a test",
                                {{"photons", 1 << 24, 1, 1 << 30, ""},
                                 {"block_threads", shape.block_threads, 16, 1024, ""},
                                 {"photons_per_thread", shape.photons_per_thread, 1, 1 << 20, ""}});
    const double bound = float_sums_bound(parameters, deposits);
    EXPECT_LT(lost, bound);
    EXPECT_GT(lost, bound / 8) << shape.block_threads << " x " << shape.photons_per_thread;
  }
}

/// In the form of Prahl's program; all light is absorbed somewhere, and the shells hold what the
/// stage's tally holds.
TEST(TinyMcHeat, PrintsTheTableOfThePrahlProgram) {
  std::ostringstream out;
  run::run_short_program(dynamic_cast<const ShortProgram&>(*find_program("tiny_mc", "heat")),
                         {"photons=100000", "seed=3", "stage=cpu/01_scalar"}, out);
  const std::string said = out.str();
  EXPECT_NE(said.find("# Scattering =   20.000/cm\n# Absorption =    2.000/cm\n"
                      "# Photons    =   100000\n"),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("# Radius\tHeat\n# [microns]\t[W/cm^3]\tError\n"), std::string::npos);
  const auto& stage = dynamic_cast<const PhotonStage&>(*find_stage("tiny_mc/cpu/01_scalar"));
  const auto transport =
      stage.prepare_transport(stage.defaults().set({{"photons", 100'000}, {"seed", 3}}));
  transport->run();
  const Tally tally = transport->collect();
  const auto volume = [](double shell) {  // cm^3, of a shell of 50 microns
    const double d = 0.005;
    return 4.0 / 3 * 3.14159265358979 * d * d * d * (std::pow(shell + 1, 3) - std::pow(shell, 3));
  };
  const std::regex row(" *(\\d+)\t *([0-9.]+)\t *([0-9.]+)");
  std::istringstream lines(said);
  std::smatch match;
  std::size_t shells = 0;
  double absorbed = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, match, row)) continue;
    const auto shell = static_cast<double>(shells);
    EXPECT_EQ(std::stod(match[1]), 50 * shell);
    EXPECT_NEAR(std::stod(match[2]) * volume(shell), tally.heat[shells] / 1e5,
                1e-5 * volume(shell));
    const double spread = tally.heat2[shells] - tally.heat[shells] * tally.heat[shells] / 1e5;
    EXPECT_NEAR(std::stod(match[3]) * volume(shell), std::sqrt(spread) / 1e5, 1e-5 * volume(shell));
    absorbed += std::stod(match[2]) * volume(shell);
    ++shells;
  }
  EXPECT_EQ(shells, 100u);
  ASSERT_TRUE(std::regex_search(said, match, std::regex("# extra\t *([0-9.]+)\n$"))) << said;
  EXPECT_NEAR(absorbed + std::stod(match[1]), 1, 0.01);
}

}  // namespace
}  // namespace ratchet::tiny_mc
