// The scalar body of 03 and 05, compiled for x86-64-v3 (AVX2, BMI2, POPCNT). Elsewhere the stages
// are unavailable.
#pragma once

#include <algorithm>

#include "kernels/graveler/stages/cpu_stage.h"
#include "kernels/graveler/words/counter_words.h"
#include "kernels/support/rng/inline.h"

// From here on for x86-64-v3. Everything below is in an unnamed namespace or always inlined: the
// linker can merge none of it with code for other processors.
#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#endif

namespace ratchet::graveler {
namespace {

#include "kernels/graveler/rounds/cpu_rounds-inl.h"
#include "kernels/graveler/rounds/cpu_scalar-inl.h"

template <class Generator>
std::unique_ptr<Worker> make_tuned_worker(std::uint64_t seed, std::uint64_t index) {
  return make_round_worker<BitAnd<Generator>>(seed, index);
}

}  // namespace
}  // namespace ratchet::graveler
#ifdef __x86_64__
#pragma GCC pop_options
#endif
