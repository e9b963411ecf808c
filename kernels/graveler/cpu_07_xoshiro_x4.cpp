// graveler/cpu/07_xoshiro_x4
// Changed:  xoshiro256+ in four 64-bit lanes: two draws of a row, ANDed, are a battle. AVX2 at
//           best.
// Why:      a vector instruction steps four generators; wyrand's wide product has no vector form.
// Expected: the text: 6.848 -> 3.119 s, 2.2 times.
//           In fact less here: the two steps of a battle are a chain of at least 6 dependent
//           operations (xor, shift, or, twice), which take most of its time.
// Source:   Barr, "SIMD Is Fast".

#include <algorithm>

// x86-64-v3 at best: no AVX-512 in this stage, on any machine.
#define HWY_DISABLED_TARGETS (HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/graveler/cpu_07_xoshiro_x4.cpp"
#include "hwy/foreach_target.h"
#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/xoshiro256plus-inl.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::graveler::HWY_NAMESPACE {
namespace {

#include "kernels/graveler/rounds/cpu_lanes-inl.h"
#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/words/xoshiro_rows-inl.h"

std::unique_ptr<Worker> make_xoshiro_x4(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<XoshiroRows<4>>(seed, index);
}

}  // namespace
}  // namespace ratchet::graveler::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::graveler {
namespace {

HWY_EXPORT(make_xoshiro_x4);

std::unique_ptr<Worker> make_worker(std::uint64_t seed, std::uint64_t index) {
  return HWY_DYNAMIC_DISPATCH(make_xoshiro_x4)(seed, index);
}

#ifdef __x86_64__
using Compiled = TunedCpuStage;
#else  // what Highway compiles for this processor
using Compiled = CpuStage;
#endif

const Registration registered{std::make_unique<Compiled>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "xoshiro256+ in four 64-bit lanes, a battle in each row",
                .source = text("SIMD Is Fast"),
                .limit = {"cpu.vector_ops", 88},
                .parameters = common_parameters(20'000'000)}),
    HWY_STATIC_DISPATCH(xoshiro_rows_layout)(4), &make_worker)};

}  // namespace
}  // namespace ratchet::graveler
#endif  // HWY_ONCE
