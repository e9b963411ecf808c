// What the text tells of bits and of the game, held to arithmetic and to this compiler.
#include <gtest/gtest.h>

#include <boost/math/special_functions/gamma.hpp>
#include <cstdint>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/support/binomial_law.h"
#include "kernels/contract/program.h"
#include "kernels/graveler/graveler.h"
#include "perf/study/run/run.h"

namespace ratchet::graveler {
namespace {

// Not to be inlined, merged or specialized: each keeps code of its own, which the test reads.
#if defined(__clang__)
#define RATCHET_OWN_CODE [[clang::noinline]]
#else
#define RATCHET_OWN_CODE [[gnu::noipa]]
#endif

RATCHET_OWN_CODE std::uint32_t remainder_of_4(std::uint32_t x) { return x % 4; }
RATCHET_OWN_CODE std::uint32_t lowest_two_bits(std::uint32_t x) { return x & 3; }
RATCHET_OWN_CODE std::int32_t signed_remainder_of_4(std::int32_t x) { return x % 4; }

/// The bytes of a function without branches, up to its RET.
template <class Function>
std::vector<std::uint8_t> code_of(Function* function) {
  constexpr std::uint8_t kRet = 0xc3;
  const auto* at = reinterpret_cast<const std::uint8_t*>(function);
  std::vector<std::uint8_t> code;
  while (code.size() < 256 && (code.empty() || code.back() != kRet)) code.push_back(*at++);
  return code;
}

/// "x % 4" becomes "x & 3": of an unsigned word the compiler makes the same of both; of a signed
/// one, whose remainder may be negative, it does not.
TEST(GravelerText, TheRemainderOfFourIsTheLowestTwoBits) {
#if !defined(__x86_64__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "reads optimized code of x86-64";
#endif
  EXPECT_EQ(code_of(&lowest_two_bits), code_of(&remainder_of_4));
  EXPECT_NE(code_of(&lowest_two_bits), code_of(&signed_remainder_of_4));
  for (std::uint32_t x = 0; x < 1000; ++x) EXPECT_EQ(remainder_of_4(x), lowest_two_bits(x));
}

/// 54 moves that do no damage, then 177 turns lost to paralysis.
TEST(GravelerText, TurnsAreThoseOfTheBattle) { EXPECT_EQ(kTurns, 54u + 177u); }

/// Under one seed, so that it holds always: what is printed is of the battles asked for, the law is
/// that of 231 rolls, and the chi-square test passes.
TEST(GravelerChallenge, PrintsTheAnswerAndTheHistogramOfItsLaw) {
  std::ostringstream out;
  run::run_short_program(dynamic_cast<const ShortProgram&>(*find_program("graveler", "challenge")),
                         {"battles=1e6", "seed=5", "stage=cpu/12_aes_weyl"}, out);
  const std::string said = out.str();
  std::smatch match;
  const std::regex head(
      "^Max: (\\d+)\nkernel ran in [0-9.e+-]+ ms\n1000000 battles by graveler/cpu/12_aes_weyl\n\n");
  ASSERT_TRUE(std::regex_search(said, match, head)) << said;
  const auto most = std::stoul(match[1]);
  const correctness::BinomialLaw law(kTurns, 0.25);
  const std::regex row(" +(\\d+)(-\\d+)? +(\\d+) +([0-9.]+) #*");
  std::uint64_t battles = 0, next = 0, last_seen = 0, bins = 0;
  double expected = 0;
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, match, row)) continue;
    const auto first = std::stoul(match[1]);
    const auto last = match[2].matched ? std::stoul(match[2].str().substr(1)) : first;
    EXPECT_EQ(first, next) << line;
    next = last + 1;
    ++bins;
    if (std::stoull(match[3]) > 0) last_seen = first;
    battles += std::stoull(match[3]);
    expected += std::stod(match[4]);
    double of_law = 0;
    for (auto ones = first; ones <= last; ++ones) of_law += 1e6 * law.pmf().at(ones);
    EXPECT_NEAR(std::stod(match[4]), of_law, 0.051) << line;
    EXPECT_GE(of_law, 5) << "too few for a chi-square test: " << line;
  }
  EXPECT_EQ(battles, 1'000'000u);
  EXPECT_NEAR(expected, 1e6, 5);
  EXPECT_EQ(next, kTurns + 1);
  EXPECT_GE(most, last_seen);
  ASSERT_TRUE(std::regex_search(said, match,
                                std::regex("chi-square ([0-9.]+) of (\\d+) degrees of freedom: .*"
                                           "with probability ([0-9.]+)\n$")))
      << said;
  EXPECT_EQ(std::stoul(match[2]), bins - 1);
  const double probability = std::stod(match[3]);
  EXPECT_NEAR(probability,
              boost::math::gamma_q(0.5 * static_cast<double>(bins - 1), std::stod(match[1]) / 2),
              0.001);
  EXPECT_GT(probability, 0.001);
}

}  // namespace
}  // namespace ratchet::graveler
