// The generators and direction formulas of the text's kernel, as printed and put right.
//
// A source of words gives four uniforms a step: x for the length, y and z for the direction, w for
// the roulette.
#pragma once

#include <curand_kernel.h>

#include <cstdint>

#include "kernels/support/rng/gpu_seed.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "kernels/tiny_mc/walks/cuda_fast_math.cuh"
#include "kernels/tiny_mc/walks/uniform.h"

namespace ratchet::tiny_mc {

/// What a generator is told of the use of its words, which those of a trace alone remember.
struct Forgetful {
  __device__ void took(unsigned) {}
};

/// Four interleaved xorshift generators with the text's signed right shift, which copies the sign:
/// not xorshift any more (rank 31, and 0 and 0x4e260138 are fixed points). Its uniforms are 0 for
/// some words and 1 for others: both ends are reached, none is passed.
class PrintedXorshift : public Forgetful {
 public:
  static constexpr auto kUnit = Draws::Unit::printed_shifts;
  __device__ PrintedXorshift(std::uint64_t seed, std::uint64_t thread) {
    const std::uint64_t a = mix64(seed + 2 * thread), b = mix64(seed + 2 * thread + 1);
    for (int i = 0; i < 2; ++i) {
      state_[i] = static_cast<std::int32_t>(a >> 32 * i);
      state_[2 + i] = static_cast<std::int32_t>(b >> 32 * i);
    }
  }
  __device__ uint4 words() {
    std::uint32_t word[4];
    for (int i = 0; i < 4; ++i) {
      state_[i] ^= static_cast<std::int32_t>(static_cast<std::uint32_t>(state_[i]) << 13);
      state_[i] ^= state_[i] >> 17;
      state_[i] ^= static_cast<std::int32_t>(static_cast<std::uint32_t>(state_[i]) << 5);
      word[i] = static_cast<std::uint32_t>(state_[i]);
    }
    return {word[0], word[1], word[2], word[3]};
  }
  __device__ static float4 uniforms(uint4 words) {
    return {uniform(words.x), uniform(words.y), uniform(words.z), uniform(words.w)};
  }
  __device__ float4 next() { return uniforms(words()); }

 private:
  __device__ static float uniform(std::uint32_t word) {
    return (static_cast<float>(static_cast<std::int32_t>(word)) + 2147483647.0f) / 4294967296.0f;
  }
  std::int32_t state_[4];
};

__device__ inline float4 open_units(uint4 words) {
  return {open_unit(words.x), open_unit(words.y), open_unit(words.z), open_unit(words.w)};
}

/// The same with unsigned shifts, seeds that are not 0, and uniforms strictly between 0 and 1.
class Xorshift4 : public Forgetful {
 public:
  static constexpr auto kUnit = Draws::Unit::middles;
  __device__ Xorshift4(std::uint64_t seed, std::uint64_t thread) {
    const std::uint64_t a = mix64(seed + 2 * thread), b = mix64(seed + 2 * thread + 1);
    for (int i = 0; i < 2; ++i) {
      state_[i] = static_cast<std::uint32_t>(a >> 32 * i) | 1u;
      state_[2 + i] = static_cast<std::uint32_t>(b >> 32 * i) | 1u;
    }
  }
  __device__ uint4 words() {
    for (int i = 0; i < 4; ++i) {
      state_[i] ^= state_[i] << 13;
      state_[i] ^= state_[i] >> 17;
      state_[i] ^= state_[i] << 5;
    }
    return {state_[0], state_[1], state_[2], state_[3]};
  }
  __device__ static float4 uniforms(uint4 words) { return open_units(words); }
  __device__ float4 next() { return uniforms(words()); }

 private:
  std::uint32_t state_[4];
};

/// cuRAND's Philox4x32-10, one subsequence a thread. `kPrinted`: cuRAND's own uniforms, (0, 1].
template <bool kPrinted>
class PhiloxWords : public Forgetful {
 public:
  static constexpr auto kUnit = kPrinted ? Draws::Unit::curand : Draws::Unit::middles;
  __device__ PhiloxWords(std::uint64_t seed, std::uint64_t thread) {
    curand_init(seed, thread, 0, &state_);
  }
  __device__ uint4 words() { return curand4(&state_); }
  __device__ static float4 uniforms(uint4 words) {
    if constexpr (kPrinted) return _curand_uniform4(words);  // of which curand_uniform4() is made
    return open_units(words);
  }
  __device__ float4 next() { return uniforms(words()); }

 private:
  curandStatePhilox4_32_10_t state_;
};

/// One of these generators that remembers the four words of the last step, and the two that the
/// direction behind it was made of: a trace's.
template <class Generator>
class RememberedFour : public Generator {
 public:
  using Generator::Generator;
  __device__ float4 next() { return Generator::uniforms(last_ = Generator::words()); }
  /// Words `first` and the one after it made the direction.
  __device__ void took(unsigned first) {
    const std::uint32_t words[4] = {last_.x, last_.y, last_.z, last_.w};
    direction_ = {words[first], words[first + 1]};
  }
  __device__ uint4 last() const { return last_; }
  __device__ uint2 direction() const { return direction_; }

 private:
  uint4 last_ = {};
  uint2 direction_ = {};
};

/// A point of the unit disc, from which Prahl's program makes a direction.
struct DiscPoint {
  float x1, x2;
};

/// As printed: the shift and scale of the rejection method, where polar coordinates need none. Most
/// points lie outside the disc.
struct PrintedPolar {
  static constexpr auto kDirection = Draws::Direction::printed_polar;
  template <class Words>
  __device__ static DiscPoint draw(float4 uniform, Words& words) {
    words.took(1);
    const float r = fast_sqrt(uniform.y);
    float sine, cosine;
    sincospif(2.0f * uniform.z, &sine, &cosine);
    return {fmaf(2.0f * r, sine, -1.0f), fmaf(2.0f * r, cosine, -1.0f)};
  }
};

/// Put right.
struct Polar {
  static constexpr auto kDirection = Draws::Direction::polar;
  template <class Words>
  __device__ static DiscPoint draw(float4 uniform, Words& words) {
    words.took(1);
    const float r = sqrtf(uniform.y);
    float sine, cosine;
    sincospif(2.0f * uniform.z, &sine, &cosine);
    return {r * sine, r * cosine};
  }
};

/// Points of the square until one lies in the disc: pi/4 of them do.
struct Rejection {
  static constexpr auto kDirection = Draws::Direction::rejection;
  template <class Words>
  __device__ static DiscPoint draw(float4 uniform, Words& words) {
    DiscPoint point = of_square(uniform.y, uniform.z);
    words.took(1);
    while (outside(point)) {
      const float4 more = words.next();
      point = of_square(more.x, more.y);
      words.took(outside(point) ? 2 : 0);
      if (outside(point)) point = of_square(more.z, more.w);
    }
    return point;
  }

 private:
  __device__ static DiscPoint of_square(float a, float b) {
    return {fmaf(2.0f, a, -1.0f), fmaf(2.0f, b, -1.0f)};
  }
  __device__ static bool outside(DiscPoint point) {
    return fmaf(point.x1, point.x1, point.x2 * point.x2) > 1.0f;
  }
};

}  // namespace ratchet::tiny_mc
