// What the text tells of bits and of the game, held to arithmetic and to this compiler.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels/graveler/graveler.h"

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

}  // namespace
}  // namespace ratchet::graveler
