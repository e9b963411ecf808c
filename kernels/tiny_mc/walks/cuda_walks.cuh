// The steps of the counted walks: full, in x, y, z, and radial, and the words they draw.
//
// Lengths are in thicknesses of a shell, so that the integer part of a radius is its shell.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/support/rng/mcg64.h"
#include "kernels/tiny_mc/tiny_mc.h"
#include "kernels/tiny_mc/walks/cuda_fast_math.cuh"
#include "kernels/tiny_mc/walks/remembered.h"

namespace ratchet::tiny_mc {

/// The words of `Source`, the last three remembered: a trace's.
template <class Source>
struct Traced : Source, LastWords {
  using Source::Source;
  __device__ __forceinline__ std::uint32_t next() { return keep(Source::next()); }
};

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
template <class Words>
__device__ __forceinline__ float step_length(Words& words, const WalkScale& scale) {
  return fmaf(fast_log2(static_cast<float>(words.next() | 1u)), scale.log2_to_length,
              scale.full_log2);
}

/// A word as a signed number, uniform in -2^31 .. 2^31.
template <class Words>
__device__ __forceinline__ float signed_word(Words& words) {
  return static_cast<float>(static_cast<std::int32_t>(words.next()));
}

/// Keeps the distance from the centre alone. The angle between the step and the radius vector has a
/// cosine uniform in -1 .. 1, whatever came before: r'^2 = r^2 + t^2 + 2 r t mu.
class RadialWalk {
 public:
  using Source = Mcg64;  ///< of its words; a thread draws some 10^6
  static constexpr unsigned kFields = 2;
  static constexpr Draws kDraws{Draws::Unit::odd, Draws::Direction::radial,
                                /*signed_cosines=*/true};
  __device__ float field(unsigned i) const { return i == 0 ? radius_ : square_; }
  __device__ void set_field(unsigned i, float value) { (i == 0 ? radius_ : square_) = value; }

  /// The radius after the step.
  template <class Words>
  __device__ __forceinline__ float step(Words& words, const WalkScale& scale) {
    length_ = step_length(words, scale);
    cosine_ = signed_word(words);
    const float squares = fmaf(length_, length_, square_);
    square_ = fmaf(length_ * radius_ * cosine_, 0x1p-30f, squares);
    radius_ = fast_sqrt(fabsf(square_));  // rounding may leave -1e-7 where it should be 0
    return radius_;
  }
  /// The collision after the last step, whose words were the last that `words` handed out.
  __device__ Collision collision(const WalkScale& scale, std::uint32_t shell,
                                 const LastWords& words) const {
    return {.step = length_ / scale.mean_free_path,
            .w = cosine_ * 0x1p-31f,
            .shell = shell,
            .step_word = words.second_last(),
            .direction_word = {words.last()},
            .direction_words = 1};
  }

 private:
  float radius_ = 0, square_ = 0;
  float length_ = 0, cosine_ = 0;  // of the last step, for the trace
};

/// Keeps x, y and z.
class FullWalk {
 public:
  using Source = Mcg64;
  static constexpr unsigned kFields = 3;
  static constexpr Draws kDraws{Draws::Unit::odd, Draws::Direction::height_and_angle,
                                /*signed_cosines=*/true};
  __device__ float field(unsigned i) const { return i == 0 ? x_ : i == 1 ? y_ : z_; }
  __device__ void set_field(unsigned i, float value) { (i == 0 ? x_ : i == 1 ? y_ : z_) = value; }

  template <class Words>
  __device__ __forceinline__ float step(Words& words, const WalkScale& scale) {
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
  __device__ Collision collision(const WalkScale& scale, std::uint32_t shell,
                                 const LastWords& words) const {
    return {.step = length_ / scale.mean_free_path,
            .u = sine_ * cos_,
            .v = sine_ * sin_,
            .w = w_,
            .shell = shell,
            .step_word = words.third_last(),
            .direction_word = {words.second_last(), words.last()},
            .direction_words = 2};
  }

 private:
  float x_ = 0, y_ = 0, z_ = 0;
  float length_ = 0, w_ = 0, sine_ = 0, cos_ = 0, sin_ = 0;  // of the last step, for the trace
};

}  // namespace ratchet::tiny_mc
