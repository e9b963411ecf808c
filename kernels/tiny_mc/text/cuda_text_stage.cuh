// The text's kernel: one thread simulates several photons, one after the other, in float.
//
// The program that the text links, but does not print, has one loop for all photons of a thread: a
// lane goes on to its next photon at once. Where directions are right, a warp that begins its
// photons together is a third faster, though it waits for the longest: 32 photons at the same
// collision lie in neighbouring shells, one line of local memory. The printed stages have the
// former loop, the others the latter.
//
// A stage file defines a type T with
//   using Words, Direction                   cuda_text_words.cuh
//   template <std::uint32_t kShells> using Heat   cuda_text_heat.cuh
//   using Math                               IeeeMath or FastMath
//   static constexpr bool kAsPrinted         the text's own step and loop: see below
//   static StageInfo info();
// and registers std::make_unique<TextStage<T>>(). PrintedText and RightText, below, have all but
// the last: a rung names what it has otherwise.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "kernels/support/device_buffer.h"
#include "kernels/tiny_mc/text/cuda_text_heat.cuh"
#include "kernels/tiny_mc/text/cuda_text_words.cuh"
#include "perf/support/error.h"

namespace ratchet::tiny_mc {

struct TextJob {
  std::uint64_t photons = 0, seed = 0, photons_per_thread = 1;
  float albedo = 0, roulette_weight = 0, roulette_survival = 0;
  std::uint32_t shells = 0;
  float shells_per_mean_free_path = 0;
  double printed_shells_per_mean_free_path = 0;  ///< the text's constant is a double
};

/// Roots and divisions rounded exactly, as nvcc compiles them by default; a fast logarithm.
struct IeeeMath {
  __device__ static float log(float x) { return __logf(x); }
  __device__ static float sqrt(float x) { return sqrtf(x); }
  __device__ static float divide(float x, float y) { return x / y; }
};

/// As with -use_fast_math. An exact root leaves its fast path for NaN, which nearly all printed
/// photons are.
struct FastMath {
  __device__ static float log(float x) { return 0.693147181f * fast_log2(x); }
  __device__ static float sqrt(float x) { return fast_sqrt(x); }
  __device__ static float divide(float x, float y) { return fast_divide(x, y); }
};

/// The shell of a radius in mean free paths. As printed the product is a double's, and NaN becomes
/// the last shell: a GPU converts a double's NaN to 2^31 (only a float's to 0).
template <bool kAsPrinted>
__device__ std::uint32_t shell_of(const TextJob& job, float radius) {
  const auto shell =
      kAsPrinted ? static_cast<std::uint32_t>(radius * job.printed_shells_per_mean_free_path)
                 : static_cast<std::uint32_t>(radius * job.shells_per_mean_free_path);
  return min(shell, job.shells - 1);
}

/// A photon between two collisions, or before its first.
struct Flight {
  float x = 0, y = 0, z = 0, u = 0, v = 0, w = 1, weight = 1;
};

/// Moves the photon to collision k and turns it there; returns the roulette's draw. Multiply-adds
/// are spelt out, so that the probe's instance of this body rounds as the timed one does.
template <class T, class Words, class Heat>
__device__ __forceinline__ float text_step(const TextJob& job, std::uint64_t photon,
                                           std::uint32_t k, Flight& flight, Words& words,
                                           Heat& heat) {
  using Math = typename T::Math;
  auto& [x, y, z, u, v, w, weight] = flight;
  const float4 uniform = words.next();
  const float length = -Math::log(uniform.x);
  x = fmaf(length, u, x);
  y = fmaf(length, v, y);
  z = fmaf(length, w, z);
  const float radius = Math::sqrt(fmaf(x, x, fmaf(y, y, z * z)));
  const Collision at{length, u, v, w, shell_of<T::kAsPrinted>(job, radius)};
  heat.collision(photon, k, at, (1.0f - job.albedo) * weight, words);
  weight *= job.albedo;

  const DiscPoint point = T::Direction::draw(uniform, words);
  const float square = fmaf(point.x1, point.x1, point.x2 * point.x2);
  u = fmaf(2.0f, square, -1.0f);
  const float scale = Math::sqrt(Math::divide(fmaf(-u, u, 1.0f), square));
  v = point.x1 * scale;
  w = point.x2 * scale;
  return uniform.w;
}

/// One photon, from its start to the roulette that ends it.
template <class T, class Words, class Heat>
__device__ void text_photon(const TextJob& job, std::uint64_t photon, Words& words, Heat& heat) {
  Flight flight;
  for (std::uint32_t k = 0;; ++k) {
    const float drawn = text_step<T>(job, photon, k, flight, words, heat);
    if (flight.weight >= job.roulette_weight) continue;
    heat.played(photon, k + 1);
    if (drawn > job.roulette_survival) {
      heat.ended(photon, k + 1);
      return;
    }
    flight.weight = T::Math::divide(flight.weight, job.roulette_survival);
  }
}

/// All photons of a thread in one loop, as in the program that the text links.
template <class T, class Words, class Heat>
__device__ void text_photons(const TextJob& job, std::uint64_t first, Words& words, Heat& heat) {
  const std::uint64_t end = min(first + job.photons_per_thread, job.photons);
  Flight flight;
  std::uint32_t k = 0;
  for (std::uint64_t photon = first; photon < end;) {
    const float drawn = text_step<T>(job, photon, k++, flight, words, heat);
    if (flight.weight >= job.roulette_weight) continue;
    heat.played(photon, k);
    if (drawn > job.roulette_survival) {
      heat.ended(photon++, k);
      flight = {};
      k = 0;
    } else {
      flight.weight = T::Math::divide(flight.weight, job.roulette_survival);
    }
  }
}

template <class T, class Heat>
__global__ void text_walk(const __grid_constant__ TextJob job, typename Heat::Target target) {
  extern __shared__ float shared[];
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::uint64_t first = thread * job.photons_per_thread;
  Heat heat(target, shared);
  typename Heat::template Words<typename T::Words> words(job.seed, thread);
  if constexpr (T::kAsPrinted) {
    text_photons<T>(job, first, words, heat);
  } else {
    for (std::uint64_t i = 0; i < job.photons_per_thread && first + i < job.photons; ++i)
      text_photon<T>(job, first + i, words, heat);
  }
  heat.finish();
}

inline TextJob text_job(const Parameters& parameters) {
  const Medium medium = medium_of(parameters);
  TextJob job;
  job.photons = parameters.at("photons");
  job.photons_per_thread = parameters.at("photons_per_thread");
  job.albedo = static_cast<float>(medium.albedo());
  job.roulette_weight = static_cast<float>(medium.roulette_weight);
  job.roulette_survival = static_cast<float>(medium.roulette_survival);
  job.shells = medium.shells;
  job.shells_per_mean_free_path = static_cast<float>(medium.shells_per_mean_free_path());
  job.printed_shells_per_mean_free_path = medium.shells_per_mean_free_path();
  return job;
}

/// Blocks of `threads` for all photons; one at least.
inline unsigned text_blocks(const TextJob& job, unsigned threads) {
  const std::uint64_t workers = (job.photons + job.photons_per_thread - 1) / job.photons_per_thread;
  const std::uint64_t blocks = (workers + threads - 1) / threads;
  if (blocks > 0x7fffffff)
    throw Error(std::to_string(job.photons) + " photons, " +
                std::to_string(job.photons_per_thread) +
                " a thread, need more blocks than a launch may have; raise photons_per_thread");
  return static_cast<unsigned>(blocks > 0 ? blocks : 1);
}

inline unsigned block_threads(const Parameters& parameters) {
  const std::uint64_t threads = parameters.at("block_threads");
  if (!std::has_single_bit(threads))
    throw Error("block_threads = " + std::to_string(threads) +
                ": the reduction halves a block, so give a power of two from 16 to 1024");
  return static_cast<unsigned>(threads);
}

template <class T, class Heat>
class TextTransport final : public Transport {
 public:
  explicit TextTransport(const Parameters& parameters)
      : job_(text_job(parameters)),
        seed_(parameters.at("seed")),
        threads_(block_threads(parameters)),
        blocks_(text_blocks(job_, threads_)),
        heat_(2 * job_.shells),
        photons_(1) {
    RATCHET_CUDA(cudaFuncSetAttribute(text_walk<T, Heat>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(Heat::shared_bytes(job_.shells))));
  }
  void run() override {
    job_.seed = run_seed(seed_, run_++);
    RATCHET_CUDA(cudaMemsetAsync(heat_.data(), 0, heat_.bytes(), cudaStreamLegacy));
    RATCHET_CUDA(cudaMemsetAsync(photons_.data(), 0, photons_.bytes(), cudaStreamLegacy));
    text_walk<T, Heat><<<blocks_, threads_, Heat::shared_bytes(job_.shells)>>>(
        job_, {heat_.data(), job_.shells, photons_.data()});
    RATCHET_CUDA_LAUNCHED();
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return job_.photons; }
  Tally collect() override {
    const auto heat = heat_.download();
    Tally tally(job_.shells);
    tally.photons = photons_.download().front();
    for (std::uint32_t shell = 0; shell < job_.shells; ++shell) {
      tally.heat[shell] = heat[2 * shell];
      tally.heat2[shell] = heat[2 * shell + 1];
    }
    return tally;
  }

 private:
  TextJob job_;
  std::uint64_t seed_, run_ = 0;
  unsigned threads_, blocks_;
  DeviceBuffer<typename Heat::Value> heat_;
  DeviceBuffer<unsigned long long> photons_;
};

/// Shells that a thread's own array has room for, by default and at most: local memory is reserved
/// for every thread that can be resident, used or not.
inline constexpr std::uint32_t kUsualShells = 128;

/// Values of the parameter "sums" of stages that choose how a block's heat is added up. By default
/// by T::Heat.
enum Sums : std::uint64_t { kOwnSums, kPlainSum, kWarpSums };
inline Parameter sums_parameter() {
  return {"sums", kOwnSums, kOwnSums, kWarpSums,
          "of a block: 0 a tree over its arrays, 1 a plain sum, 2 its warps' in global memory"};
}
template <class T>
constexpr bool chooses_sums() {
  if constexpr (requires { T::kChoosesSums; }) return T::kChoosesSums;
  return false;
}
template <class T>
std::uint64_t sums_of(const Parameters& parameters) {
  return chooses_sums<T>() ? parameters.at("sums") : kOwnSums;
}

template <class T>
class TextStage final : public PhotonStage {
 public:
  TextStage() : PhotonStage(T::info(), Walk::full, Repeatable::no) {}

  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    if (parameters.at("shells") <= kUsualShells) return with_room_for<kUsualShells>(parameters);
    return with_room_for<kMaxShells>(parameters);
  }

  double rounding(const Parameters& parameters, double deposits) const override {
    const TextJob job = text_job(parameters);
    const unsigned threads = block_threads(parameters);
    const TextShape shape{
        .blocks = static_cast<double>(text_blocks(job, threads)),
        .warps_per_block = std::max(1.0, threads / 32.0),
        .photons_per_thread = static_cast<double>(std::min(job.photons_per_thread, job.photons)),
        .one_shell = job.shells == 1};
    const double of_sums = sums_of<T>(parameters) == kPlainSum
                               ? PlainSumHeat<kUsualShells>::rounding(shape, deposits)
                               : T::template Heat<kUsualShells>::rounding(shape, deposits);
    return float_deposit_error(medium_of(parameters)) + of_sums;
  }

  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override {
    TextJob job = text_job(parameters);
    job.seed = run_seed(parameters.at("seed"), 0);
    const unsigned threads = block_threads(parameters);
    Trace trace;
    trace.photons = job.photons;
    trace.capacity = capacity;
    trace.parts = {{job.photons, Draws{T::Words::kUnit, T::Direction::kDirection}}};
    DeviceBuffer<std::uint32_t> made(job.photons);
    DeviceBuffer<Collision> collisions(job.photons * capacity);
    made.zero();
    collisions.zero();
    text_walk<T, TraceHeat>
        <<<text_blocks(job, threads), threads>>>(job, {made.data(), collisions.data(), capacity});
    RATCHET_CUDA_LAUNCHED();
    trace.collisions = made.download();
    trace.collision = collisions.download();
    return trace;
  }

 private:
  template <std::uint32_t kShells>
  static std::unique_ptr<Transport> with_room_for(const Parameters& parameters) {
    if constexpr (chooses_sums<T>()) {
      if (sums_of<T>(parameters) == kPlainSum)
        return std::make_unique<TextTransport<T, PlainSumHeat<kShells>>>(parameters);
      if (sums_of<T>(parameters) == kWarpSums)
        return std::make_unique<TextTransport<T, WarpSumsHeat<kShells>>>(parameters);
    }
    return std::make_unique<TextTransport<T, typename T::template Heat<kShells>>>(parameters);
  }
};

/// The parameters of the text's CUDA stages; its best shape was 128 threads and 256 photons a
/// thread.
inline std::vector<Parameter> text_parameters(std::uint64_t photons) {
  return common_parameters(
      photons, {{"block_threads", 128, 16, 1024, "threads of a block, a power of two"},
                {"photons_per_thread", 256, 1, 1u << 20, "photons that a thread simulates"}});
}

/// The text's sweep at this many photons: six block sizes by twelve photons a thread.
inline std::vector<ParameterPoint> block_survey(std::uint64_t photons) {
  return grid({{"photons", {photons}},
               {"block_threads", {16, 32, 64, 128, 256, 512}},
               {"photons_per_thread", {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048}}});
}

/// The text's kernel with its errors, as in 01p.
struct PrintedText {
  using Words = PrintedXorshift;
  using Direction = PrintedPolar;
  using Math = FastMath;
  template <std::uint32_t kShells>
  using Heat = ThreeLevelHeat<kShells, false, float>;
  static constexpr bool kAsPrinted = true;
};

/// The text's kernel put right, as in 04.
struct RightText {
  using Words = Xorshift4;
  using Direction = Polar;
  using Math = IeeeMath;
  template <std::uint32_t kShells>
  using Heat = ThreeLevelHeat<kShells, false>;
  static constexpr bool kAsPrinted = false;
};

}  // namespace ratchet::tiny_mc
