// graveler/cpu/08_xoshiro_x8
// Changed:  eight lanes, two battles in a row, compiled for the best instruction set found at run
//           time: one register with AVX-512 (and its vector POPCNT), two with AVX2.
// Why:      07 waits for its own chain of operations; twice the battles ride on the same chain.
// Expected: the text: 3.119 -> 2.886 s without AVX-512. Twice here, or more: AVX-512 rotates in one
//           operation, which also shortens the chain of a row from 6 operations to 4.
//           In fact the chain still takes most of a row's time.
// Source:   Barr, "Even Bigger SIMDs".

#include <algorithm>

#define HWY_WANT_AVX3_DL  // for the vector POPCNT
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graveler/cpu_08_xoshiro_x8.cpp"
#include "hwy/foreach_target.h"
#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/xoshiro256plus-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::graveler::HWY_NAMESPACE {
namespace {

#include "kernels/graveler/rounds/cpu_lanes-inl.h"
#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/words/xoshiro_rows-inl.h"

std::unique_ptr<Worker> make_xoshiro_x8(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<XoshiroRows<8>>(seed, index);
}

}  // namespace
}  // namespace ratchet::graveler::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::graveler {

HWY_EXPORT(make_xoshiro_x8);

std::unique_ptr<Worker> make_xoshiro_x8_worker(std::uint64_t seed, std::uint64_t index) {
  return HWY_DYNAMIC_DISPATCH(make_xoshiro_x8)(seed, index);
}

Layout xoshiro_x8_layout() { return HWY_STATIC_DISPATCH(xoshiro_rows_layout)(8); }

namespace {

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "xoshiro256+ in eight 64-bit lanes, two battles in each row",
                .source = text("Even Bigger SIMDs"),
                .limit = {"cpu.vector_ops", kXoshiroX8OpsPerBattle},
                .parameters = common_parameters(20'000'000)}),
    xoshiro_x8_layout(), &make_xoshiro_x8_worker)};

}  // namespace
}  // namespace ratchet::graveler
#endif  // HWY_ONCE
