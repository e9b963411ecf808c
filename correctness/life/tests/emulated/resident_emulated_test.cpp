// The source of the resident kernels (life/cuda/08_resident, 09_thin_halos, 10_crowded_border) on a CPU: tiles of some
// blocks that wait for each other, in many orders.
#include "correctness/life/tests/emulated/resident_on_host.h"
// After it:
#include "kernels/life/resident/cuda_resident_folded.cuh"
#include "kernels/life/strided/cuda_strided_convert.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <vector>

#include "correctness/life/checks/checks.h"
#include "correctness/life/oracles/oracle.h"

namespace ratchet::life {
namespace {

using namespace resident;
using on_host::grid;
using on_host::launch;

template <class Shape>
class ResidentKernel : public testing::Test {
 protected:
  static constexpr int T = Shape::T;

  /// Runs of `runs[i]` generations one after the other, as the stage does them.
  static void expect_universe(std::uint32_t width, std::uint32_t height, Edge edge,
                              std::uint32_t blocks, const std::vector<std::uint32_t>& runs) {
    const strided::Layout layout = strided::make_layout(width, height, Shape::K, edge);
    const Grid start = soup(width, height, width + height, 110);
    std::vector<std::uint32_t> now(layout.size()), next(layout.size());
    std::vector<Tagged> halos(halo_words<Shape>(blocks));
    const auto packed_pitch = static_cast<std::uint32_t>(start.words_per_row() * 2);
    launch(strided::to_strided, height, 32, 0, layout,
           reinterpret_cast<const std::uint32_t*>(start.words().data()), packed_pitch,
           now.data() + layout.lead());
    std::uint64_t steps = 0;
    Job job{nullptr, nullptr, layout, 0, halos.data(), 0};
    for (const std::uint32_t run : runs) {
      job.in = now.data() + layout.lead(), job.out = next.data() + layout.lead(), job.steps = run;
      const auto kernel = edge == Edge::torus          ? reside<Shape, Rim::torus>
                          : width == layout.words * 32 ? reside<Shape, Rim::aligned>
                                                       : reside<Shape, Rim::masked>;
      launch(kernel, blocks, Shape::kWarps * 32, Shape::kSharedBytes, job);
      job.tag += (run - 1) / T, steps += run;
      now.swap(next);
    }
    Grid end(width, height);
    launch(strided::from_strided, height, 32, 0, layout, now.data() + layout.lead(), packed_pitch,
           reinterpret_cast<std::uint32_t*>(end.words().data()));
    EXPECT_EQ("", difference(oracle_run(start, steps, edge), end))
        << width << " x " << height << (edge == Edge::torus ? ", torus, " : ", dead border, ")
        << blocks << " blocks, " << runs.size() << " runs, " << steps << " steps in all";
  }
  /// A row's words in as many lanes as there are, or in fewer.
  static constexpr std::uint32_t kFull = Shape::kRowWords * 32, kFew = Shape::K * 3 * 32;

  void SetUp() override { grid.random.seed(1), grid.stays = false; }
};

/// Halos within a warp, of whole warps, of more; the stages' own shapes come last.
using Shapes =
    testing::Types<Shape<1, 2, 6, 2>, Shape<2, 3, 4, 3>, Shape<4, 5, 4, 4>, Shape<1, 3, 8, 7>,
                   DeepShape<4, 2, 6, 3, 2>, DeepShape<8, 1, 7, 4, 1>, ThinShape<4, 4, 2>,
                   ThinShape<8, 6, 3>, FoldedShape<4, 7, 4>, FoldedShape<8, 10, 8>, UpTo1024,
                   UpTo2048, UpTo4096, UpTo8192, UpTo16384, ThinUpTo8192, FoldedUpTo4096,
                   EarlyUpTo16384>;
TYPED_TEST_SUITE(ResidentKernel, Shapes);

TYPED_TEST(ResidentKernel, EveryCountOfGenerations) {
  for (const std::uint32_t steps : {1, TestFixture::T - 1, TestFixture::T, TestFixture::T + 1,
                                    2 * TestFixture::T + 1, 5 * TestFixture::T})
    if (steps > 0)
      this->expect_universe(TestFixture::kFew, 3 * TypeParam::kOwn, Edge::torus, 3, {steps});
}

TYPED_TEST(ResidentKernel, BlocksOfEveryHeight) {
  const std::uint32_t few = TypeParam::kLeastOwn, many = TypeParam::kOwn;
  const std::vector<std::uint32_t> runs = {3 * TypeParam::T + 1};
  for (const std::uint32_t own : {few, few + 1, many - 1, many}) {
    if (own < few) continue;
    this->expect_universe(this->kFew, own, Edge::torus, 1, runs);
    this->expect_universe(this->kFew, 2 * own, Edge::dead, 2, runs);
    if (own > few) this->expect_universe(this->kFew, 3 * own - 1, Edge::dead, 3, runs);
    if (own > few) this->expect_universe(this->kFew, 3 * own - 2, Edge::torus, 3, runs);
  }
}

TYPED_TEST(ResidentKernel, EveryRim) {
  const std::uint32_t height = 2 * TypeParam::kOwn;
  const std::vector<std::uint32_t> runs = {2 * TypeParam::T + 1};
  for (const std::uint32_t width : {this->kFew, this->kFull}) {
    this->expect_universe(width, height, Edge::torus, 2, runs);
    this->expect_universe(width, height, Edge::dead, 2, runs);
    this->expect_universe(width - 1, height, Edge::dead, 2, runs);
  }
  this->expect_universe(this->kFew + 1, height, Edge::dead, 2, runs);
  this->expect_universe(1, height, Edge::dead, 2, runs);
}

TYPED_TEST(ResidentKernel, OneRunAfterTheOther) {
  const std::uint32_t few = TypeParam::T;
  this->expect_universe(this->kFew, 2 * TypeParam::kOwn, Edge::torus, 2,
                        {few + 1, 1, 2 * few, few, 3 * few + 1});
}

TYPED_TEST(ResidentKernel, InManyOrders) {
  for (const bool stays : {false, true})
    for (unsigned seed = 2; seed < 6; ++seed) {
      grid.random.seed(seed), grid.stays = stays;
      this->expect_universe(this->kFew,
                            2 * TypeParam::kOwn + 1 - 2 * (TypeParam::kOwn > TypeParam::T),
                            Edge::torus, 2 + (TypeParam::kOwn == TypeParam::T), {6 * TypeParam::T});
    }
}

}  // namespace
}  // namespace ratchet::life
