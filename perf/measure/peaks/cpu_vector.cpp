// One core's vector operations, with the widest instructions it has (Google Highway, chosen at run
// time), in independent chains: additions and exclusive ors on 64-bit lanes; lookups of bytes.
#define HWY_WANT_AVX3_DL  // for lookups in 64 bytes
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "perf/measure/peaks/cpu_vector.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h first: it includes this file once per instruction set.
#include <hwy/highway.h>

#include "perf/measure/peaks/probes.h"

HWY_BEFORE_NAMESPACE();
namespace ratchet::peaks::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Keeps a chain's value in its register and unknown to the compiler. Otherwise GCC 12 finds three of
/// the twelve chains in the others and leaves them out, and a quarter of the operations counted are
/// never made.
template <class V>
HWY_INLINE void keep([[maybe_unused]] V& v) {
#if HWY_TARGET == HWY_SCALAR
  asm volatile("" : "+r"(v.raw));
#elif HWY_ARCH_X86
  asm volatile("" : "+v"(v.raw));
#elif HWY_ARCH_ARM_A64 && !HWY_HAVE_SCALABLE
  asm volatile("" : "+w"(v.raw));
#endif
}

// 12 chains: four vector pipes with a latency of up to two, and room in 16 registers.
#define RATCHET_CHAINS(apply)                                                               \
  apply(0) apply(1) apply(2) apply(3) apply(4) apply(5) apply(6) apply(7) apply(8) apply(9) \
      apply(10) apply(11)

constexpr int kChains = 12;
constexpr int kUnroll = 8;

#define RATCHET_FOLD(c) sum = hn::Xor(sum, x##c);

double VectorOps() {
  const hn::ScalableTag<std::uint64_t> tag;
  const auto work = [tag](long iterations) {
    const auto a = hn::Set(tag, 0x9e3779b97f4a7c15u);
#define RATCHET_DECLARE(c) auto x##c = hn::Set(tag, c + 1);
#define RATCHET_ADD(c) x##c = hn::Add(x##c, a), keep(x##c);
#define RATCHET_XOR(c) x##c = hn::Xor(x##c, a), keep(x##c);
    RATCHET_CHAINS(RATCHET_DECLARE)
    for (long i = 0; i < iterations; ++i) {
      for (int u = 0; u < kUnroll; ++u) {
        RATCHET_CHAINS(RATCHET_ADD)
        RATCHET_CHAINS(RATCHET_XOR)
      }
    }
    auto sum = hn::Zero(tag);
    RATCHET_CHAINS(RATCHET_FOLD)
#undef RATCHET_DECLARE
#undef RATCHET_ADD
#undef RATCHET_XOR
    const std::uint64_t kept = hn::GetLane(sum);
    asm volatile("" : : "r"(kept));  // keeps the loop
  };
  return best_cpu_rate(work, 2.0 * kChains * kUnroll * static_cast<double>(hn::Lanes(tag)));
}

/// Each byte of x in the longest table that one instruction takes: 64 bytes, or 16.
template <class Vector>
HWY_INLINE Vector lookup(Vector table, Vector x) {
#if HWY_TARGET == HWY_AVX3_DL
  return Vector{_mm512_permutexvar_epi8(x.raw, table.raw)};
#elif HWY_TARGET == HWY_SCALAR
  return hn::Xor(table, x);
#else
  return hn::TableLookupBytesOr0(table, x);
#endif
}

double ByteLookups() {
  const hn::ScalableTag<std::uint8_t> tag;
  const auto work = [tag](long iterations) {
    const auto table = hn::Set(tag, 5);
#define RATCHET_DECLARE(c) auto x##c = hn::Set(tag, c + 1);
#define RATCHET_LOOKUP(c) x##c = lookup(table, x##c), keep(x##c);
    RATCHET_CHAINS(RATCHET_DECLARE)
    for (long i = 0; i < iterations; ++i) {
      for (int u = 0; u < kUnroll; ++u) {
        RATCHET_CHAINS(RATCHET_LOOKUP)
      }
    }
    auto sum = hn::Zero(tag);
    RATCHET_CHAINS(RATCHET_FOLD)
#undef RATCHET_DECLARE
#undef RATCHET_LOOKUP
    const std::uint8_t kept = hn::GetLane(sum);
    asm volatile("" : : "r"(kept));  // keeps the loop
  };
  return best_cpu_rate(work, 1.0 * kChains * kUnroll * static_cast<double>(hn::Lanes(tag)));
}

}  // namespace ratchet::peaks::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::peaks {

HWY_EXPORT(VectorOps);
HWY_EXPORT(ByteLookups);

double cpu_vector_ops_per_second() {
  const timing::CpuPin pin;
  return HWY_DYNAMIC_DISPATCH(VectorOps)();
}

double cpu_byte_lookups_per_second() {
  const timing::CpuPin pin;
  return HWY_DYNAMIC_DISPATCH(ByteLookups)();
}

}  // namespace ratchet::peaks
#endif  // HWY_ONCE
