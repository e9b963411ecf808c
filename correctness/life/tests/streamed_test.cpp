// Universes larger than device memory: the plan of a sweep, bands, and the cap on device memory.
//
// life_test holds the stage against the definition; here is what is special to it. On a device;
// skipped by name without one, but for the plan.
#include <gtest/gtest.h>

#include <algorithm>

#include "correctness/life/oracles/oracle.h"
#include "correctness/life/tests/support/on_device.h"
#include "correctness/support/error_of.h"
#include "kernels/life/streamed/stream_plan.h"
#if RATCHET_HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

namespace ratchet::life {
namespace {

// ---------------------------------------------------------------------------- the plan of a sweep

/// Every row of every moment is in one band, and what a pass reads is there.
void expect_complete(const Sweep& sweep, std::uint64_t height, std::uint64_t pass, Edge edge) {
  const auto generations = static_cast<std::int64_t>(sweep.generations());
  const auto rows = static_cast<std::int64_t>(height);
  const auto step = static_cast<std::int64_t>(pass);
  for (std::int64_t done = 0; done <= generations; done += std::min(step, generations - done)) {
    const std::int64_t beyond = edge == Edge::torus ? generations - done : 0;
    std::int64_t next = -beyond;
    for (std::uint64_t band = 0; band < sweep.bands(); ++band) {
      const RowRange own = sweep.rows(band, static_cast<std::uint64_t>(done));
      if (own.size() == 0) continue;
      ASSERT_EQ(next, own.first) << "band " << band << " after " << done;
      next = own.last;
      if (done == generations) continue;
      // A pass from here: rows that exist and lie below the band's own do not.
      const std::int64_t n = std::min(step, generations - done);
      const RowRange written = sweep.rows(band, static_cast<std::uint64_t>(done + n));
      if (written.size() == 0) continue;
      EXPECT_LE(std::min(written.last + n, rows + beyond), own.last);
      EXPECT_GE(std::max(written.first - n, -beyond),
                sweep.origin(band, static_cast<std::uint64_t>(done)) - 2 * step);
    }
    ASSERT_EQ(rows + beyond, next) << "after " << done;
    if (done == generations) break;
  }
}

TEST(StreamPlan, BandsCoverEveryRowOnceAtEveryMoment) {
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t height : {1, 2, 40, 100, 1000})
      for (const std::uint64_t band : {16, 17, 33, 500, 2000})
        for (const std::uint64_t generations : {1, 7, 8, 9, 40, 100})
          if (edge == Edge::dead || generations <= height)
            expect_complete(Sweep(height, band, generations, edge), height, 8, edge);
}

TEST(StreamPlan, TakesNoMoreThanTheCapAndSaysWhenThatIsTooLittle) {
  unsigned refused = 0, planned = 0;
  for (const Edge edge : {Edge::dead, Edge::torus})
    for (const std::uint64_t bytes : {100'000u, 300'000u, 1'000'000u, 30'000'000u})
      for (const std::uint64_t steps : {1u, 8u, 100u, 5000u}) {
        const StreamNeeds needs{
            "life/cuda/06_streamed", bytes, 1024, 20000, steps, 8, 2, 256, edge};
        try {
          const StreamPlan plan = plan_stream(needs);
          EXPECT_LE(plan.device_rows * needs.row_bytes, bytes);
          EXPECT_GE(plan.band_rows, plan.halo_rows);
          EXPECT_LE(plan.sweep_steps, std::min<std::uint64_t>(steps, 256));
          ++planned;
        } catch (const Error& error) {
          EXPECT_NE(std::string(error.what()).find("raise device_mib"), std::string::npos);
          EXPECT_LT(bytes, 300'000u);
          ++refused;
        }
      }
  EXPECT_EQ(refused, 8u);
  EXPECT_EQ(planned, 24u);
}

class CudaStreamed : public OnDevice {
 protected:
  void SetUp() override { need("life/cuda/06_streamed"); }
};

TEST_F(CudaStreamed, ManyLowBandsUnderASmallCap) {
  // 2.5 KB a row: 1 MiB holds some 420 rows in all, bands of some 50.
  const Grid start = soup(20000, 700, 3, 110);
  for (const std::uint64_t sweep : {8, 13, 40, 256}) {
    const auto universe = stage_->prepare_universe(
        parameters(start, 45).set("device_mib", std::uint64_t{1}).set("sweep", sweep), start);
    universe->run();
    universe->run();
    EXPECT_EQ("", difference(oracle_run(start, 90, Edge::dead), universe->collect()))
        << "sweep=" << sweep;
  }
}

TEST_F(CudaStreamed, TorusOfManyBands) {
  if (!has_torus(*stage_)) GTEST_SKIP() << "no torus";
  for (const std::uint64_t height : {20, 90, 331}) {
    const Grid start = soup(97, height, height, 110);
    for (const std::uint64_t sweep : {9, 64})
      for (const std::uint64_t steps : {8, 50}) {
        auto all = parameters_for(*stage_, 97, height, steps, Edge::torus);
        const auto universe = stage_->prepare_universe(all.set("sweep", sweep), start);
        universe->run();
        universe->run();
        EXPECT_EQ("", difference(reference_run(start, 2 * steps, Edge::torus), universe->collect()))
            << height << " rows, sweep=" << sweep << ", " << steps << " steps";
      }
  }
}

// Only segments long enough for the kernel's loop show rows fetched ahead beyond the border, which
// in a band are rows of earlier bands.
TEST_F(CudaStreamed, BandsLargeEnoughForTheWideKernel) {
  expect_as_in_one_piece(soup(65536, 33001, 5, 110), 45);  // 5.4e8 cells fill a band of 64 MiB
}

TEST_F(CudaStreamed, RefusesACapThatHoldsNoBand) {
  const Grid start(1u << 20, 3);
  EXPECT_NE(error_of([&] {
              stage_->prepare_universe(parameters(start, 1).set("device_mib", std::uint64_t{1}),
                                       start);
            }).find("raise device_mib"),
            std::string::npos);
}

#if RATCHET_HAVE_CUDA
/// Nothing else may use the device meanwhile: ctest runs this program by itself, ci/gpu-visit tests
/// of suites named so.
using CudaStreamedAlone = CudaStreamed;

std::size_t device_memory_used() {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(cudaSuccess, cudaMemGetInfo(&free, &total));
  return total - free;
}

TEST_F(CudaStreamedAlone, KeepsToItsCap) {
  const Grid start = soup(16384, 16384, 1, 128);  // 32 MiB
  // What a context and its kernels take is no stage's: loaded before.
  stage_run(*stage_, soup(100, 100, 1, 128), 40);
  const std::size_t before = device_memory_used();
  const auto universe =
      stage_->prepare_universe(parameters(start, 48).set("device_mib", std::uint64_t{12}), start);
  const std::size_t prepared = device_memory_used();
  universe->run();
  universe->wait();
  EXPECT_LE(device_memory_used() - before, std::size_t{12} << 20);
  EXPECT_GE(prepared - before, std::size_t{6} << 20) << "the cap is there to be used";
  EXPECT_EQ("", difference(oracle_run(start, 48, Edge::dead), universe->collect()));
}
#endif

}  // namespace
}  // namespace ratchet::life
