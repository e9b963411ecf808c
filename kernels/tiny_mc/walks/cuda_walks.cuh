// The steps of the counted walks: full, in x, y, z, and radial, and the words they draw.
//
// Lengths are in thicknesses of a shell, so that the integer part of a radius is its shell.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/support/rng/mcg64.h"
#include "kernels/tiny_mc/walks/cuda_fast_math.cuh"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// A thread draws some 10^6 words.
using McgWords = Mcg64;

/// Constants of the medium, made on the host.
struct WalkScale {
  float log2_to_length = 0;  ///< -ln 2 times shells per mean free path
  float full_log2 = 0;       ///< -32 times that: the length of a word of 2^32 is 0
  float last_shell = 0;      ///< index of the last shell
  float mean_free_path = 0;  ///< in shells

  static WalkScale of(const Medium& medium) {
    const double shells = medium.shells_per_mean_free_path();
    return {.log2_to_length = static_cast<float>(-0.69314718055994531 * shells),
            // Rounded up, so that no step is 0.
            .full_log2 = std::nextafterf(static_cast<float>(32 * 0.69314718055994531 * shells),
                                         std::numeric_limits<float>::infinity()),
            .last_shell = static_cast<float>(medium.shells - 1),
            .mean_free_path = static_cast<float>(shells)};
  }
};

/// An exponential length. The word is made odd: 0 would be an infinite step.
__device__ __forceinline__ float step_length(McgWords& words, const WalkScale& scale) {
  return fmaf(fast_log2(static_cast<float>(words.next() | 1u)), scale.log2_to_length,
              scale.full_log2);
}

/// A word as a signed number, uniform in -2^31 .. 2^31.
__device__ __forceinline__ float signed_word(McgWords& words) {
  return static_cast<float>(static_cast<std::int32_t>(words.next()));
}

/// Keeps the distance from the centre alone. The angle between the step and the radius vector has a
/// cosine uniform in -1 .. 1, whatever came before: r'^2 = r^2 + t^2 + 2 r t mu.
class RadialWalk {
 public:
  static constexpr unsigned kFields = 2;
  __device__ float field(unsigned i) const { return i == 0 ? radius_ : square_; }
  __device__ void set_field(unsigned i, float value) { (i == 0 ? radius_ : square_) = value; }

  /// The radius after the step.
  __device__ __forceinline__ float step(McgWords& words, const WalkScale& scale) {
    length_ = step_length(words, scale);
    cosine_ = signed_word(words);
    const float squares = fmaf(length_, length_, square_);
    square_ = fmaf(length_ * radius_ * cosine_, 0x1p-30f, squares);
    radius_ = fast_sqrt(fabsf(square_));  // rounding may leave -1e-7 where it should be 0
    return radius_;
  }
  __device__ Collision collision(const WalkScale& scale, std::uint32_t shell) const {
    return {length_ / scale.mean_free_path, 0, 0, cosine_ * 0x1p-31f, shell};
  }

 private:
  float radius_ = 0, square_ = 0;
  float length_ = 0, cosine_ = 0;  // of the last step, for the trace
};

/// Keeps x, y and z.
class FullWalk {
 public:
  static constexpr unsigned kFields = 3;
  __device__ float field(unsigned i) const { return i == 0 ? x_ : i == 1 ? y_ : z_; }
  __device__ void set_field(unsigned i, float value) { (i == 0 ? x_ : i == 1 ? y_ : z_) = value; }

  __device__ __forceinline__ float step(McgWords& words, const WalkScale& scale) {
    length_ = step_length(words, scale);
    w_ = signed_word(words) * 0x1p-31f;
    const float angle = signed_word(words) * (3.14159265358979f * 0x1p-31f);
    sine_ = fast_sqrt(fabsf(fmaf(-w_, w_, 1.0f)));
    cos_ = fast_cos(angle);
    sin_ = fast_sin(angle);
    const float across = length_ * sine_;
    x_ = fmaf(across, cos_, x_);
    y_ = fmaf(across, sin_, y_);
    z_ = fmaf(length_, w_, z_);
    return fast_sqrt(fmaf(x_, x_, fmaf(y_, y_, z_ * z_)));
  }
  __device__ Collision collision(const WalkScale& scale, std::uint32_t shell) const {
    return {length_ / scale.mean_free_path, sine_ * cos_, sine_ * sin_, w_, shell};
  }

 private:
  float x_ = 0, y_ = 0, z_ = 0;
  float length_ = 0, w_ = 0, sine_ = 0, cos_ = 0, sin_ = 0;  // of the last step, for the trace
};

}  // namespace ratchet::tiny_mc
