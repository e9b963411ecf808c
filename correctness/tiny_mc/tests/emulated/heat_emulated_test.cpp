// The heat of the text's kernel (tiny_mc/cuda/04 and 07) on a CPU: a block's threads, of one warp
// and of several, add up their arrays in many orders.
#include "correctness/emulator/grid_on_host.h"
// After it:
#include "kernels/tiny_mc/text/cuda_text_heat.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <vector>

namespace ratchet::tiny_mc {
namespace {

using on_host::grid;

constexpr std::uint32_t kMost = 19;
constexpr unsigned kBlocks = 2, kDeposits = 20;
struct NoWords {};

/// Whole numbers, of which floats add up so few without an error.
float deposit_of(unsigned thread, unsigned i) { return static_cast<float>((thread * 7 + i) % 13); }
std::uint32_t shell_of(unsigned thread, unsigned i, std::uint32_t shells) {
  return (thread * 31 + i * i) % shells;
}

template <class Heat>
void deposit(const typename Heat::Target& target) {
  Heat heat(target, reinterpret_cast<float*>(grid.shared(0)));
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < kDeposits; ++i) {
    Collision at;
    at.shell = shell_of(thread, i, target.shells);
    heat.collision(thread, i, at, deposit_of(thread, i), NoWords());
  }
  heat.ended(thread, kDeposits);
  heat.finish();
}

template <class Heat>
void expect_all(unsigned threads, std::uint32_t shells) {
  std::vector<typename Heat::Value> seen(2 * shells), wanted(2 * shells);
  unsigned long long photons = 0;
  on_host::launch_block_by_block(deposit<Heat>, kBlocks, threads, Heat::shared_bytes(shells),
                                 typename Heat::Target{seen.data(), shells, &photons});
  for (unsigned thread = 0; thread < kBlocks * threads; ++thread)
    for (unsigned i = 0; i < kDeposits; ++i) {
      const float value = deposit_of(thread, i);
      wanted[2 * shell_of(thread, i, shells)] += value;
      wanted[2 * shell_of(thread, i, shells) + 1] += value * value;
    }
  EXPECT_EQ(seen, wanted) << threads << " threads, " << shells << " shells";
  EXPECT_EQ(photons, kBlocks * threads);
}

template <class Heat>
class TinyMcHeat : public testing::Test {};

using Heats = testing::Types<ThreeLevelHeat<kMost, false>, ThreeLevelHeat<kMost, true>,
                             PlainSumHeat<kMost>, WarpSumsHeat<kMost>>;
TYPED_TEST_SUITE(TinyMcHeat, Heats);

/// Fewer warps than arrays, as many, and more.
TYPED_TEST(TinyMcHeat, LosesNoDepositInManyOrders) {
  for (const unsigned threads : {32, 128, 256, 512})
    for (const std::uint32_t shells : {1u, 2u, kMost})
      for (unsigned seed = 0; seed < 4; ++seed) {
        grid.random.seed(seed), grid.stays = seed % 2 == 1;
        expect_all<TypeParam>(threads, shells);
      }
}

}  // namespace
}  // namespace ratchet::tiny_mc
