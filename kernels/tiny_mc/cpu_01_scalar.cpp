// tiny_mc/cpu/01_scalar
// Changed:  the definition in single precision, one photon after the other; sums stay double.
// Why:      the start of the ladder: the program that the text optimizes.
// Expected: some 15 ns a collision, 1.1 us a photon: a logarithm, a rejection loop that mispredicts
//           one time in five, two roots and a division.
// Source:   barufa, "Calculo de nueva direccion del foton".
#include <algorithm>
#include <cmath>

#include "kernels/support/rng/xoshiro256plus.h"
#include "kernels/tiny_mc/walks/cpu_stage.h"
#include "kernels/tiny_mc/walks/remembered.h"
#include "kernels/tiny_mc/walks/uniform.h"

namespace ratchet::tiny_mc {
namespace {

/// Each 64-bit word makes two uniform numbers.
template <class Memory>
class Uniforms : public Memory {
 public:
  Uniforms(std::uint64_t seed, std::uint64_t stream) : words_(generator(seed, stream)) {}
  std::uint32_t word() {
    have_ = !have_;
    if (!have_) return static_cast<std::uint32_t>(last_);
    last_ = words_.next64();
    return static_cast<std::uint32_t>(last_ >> 32);
  }
  float unit() { return open_unit(Memory::keep(word())); }
  float cosine() { return open_cosine(Memory::keep(word())); }

 private:
  static Xoshiro256Plus generator(std::uint64_t seed, std::uint64_t stream) {
    SplitMix64 words = seeder(seed, stream);
    return Xoshiro256Plus(words);
  }
  Xoshiro256Plus words_;
  std::uint64_t last_ = 0;
  bool have_ = false;
};

struct Photon {
  float x = 0, y = 0, z = 0;
  float u = 0, v = 0, w = 1;

  /// Moves by an exponential step; its length in mean free paths.
  template <class Words>
  float step(Words& uniforms) {
    const float t = -std::log(uniforms.unit());
    x += t * u;
    y += t * v;
    z += t * w;
    return t;
  }
  float radius() const { return std::sqrt(x * x + y * y + z * z); }
  /// A point of the unit disc by rejection, carried to the sphere.
  template <class Words>
  void turn(Words& uniforms) {
    float x1, x2, square;
    do {
      x1 = uniforms.cosine();
      x2 = uniforms.cosine();
      square = x1 * x1 + x2 * x2;
    } while (square > 1);
    u = 2 * square - 1;
    const float scale = std::sqrt((1 - u * u) / square);
    v = x1 * scale;
    w = x2 * scale;
  }
};

/// Follows `photons` photons; sink.collision(photon, k, deposit, moved, step, shell) for each
/// collision, sink.end(photon, collisions). Draws from Sink::Words, and shows them after a step, a
/// turn and a game of roulette.
template <class Sink>
void follow(const Job& job, std::uint64_t stream, std::uint32_t photons, Sink& sink) {
  typename Sink::Words uniforms(job.seed, stream);
  const float scale = static_cast<float>(job.medium.shells_per_mean_free_path());
  const float last = static_cast<float>(job.medium.shells - 1);
  const float albedo = static_cast<float>(job.schedule.albedo);
  const float survival = static_cast<float>(job.schedule.survival);
  for (std::uint32_t i = 0; i < photons; ++i) {
    Photon photon;
    std::uint32_t k = 0;
    for (const auto& round : job.schedule.rounds) {
      float deposit = static_cast<float>((1 - job.schedule.albedo) * round.weight);
      for (const std::uint32_t end = round.first + round.collisions; k < end; ++k) {
        const float t = photon.step(uniforms);
        sink.stepped(uniforms);
        const auto shell = static_cast<std::uint32_t>(std::min(photon.radius() * scale, last));
        sink.collision(i, k, deposit, photon, t, shell);
        deposit *= albedo;
        photon.turn(uniforms);
        sink.turned(uniforms);
      }
      const bool ends = uniforms.unit() > survival;
      sink.played(i, k, uniforms);
      if (ends) break;
    }
    sink.end(i, k);
  }
}

struct Sums {
  using Words = Uniforms<NoMemory>;
  Tally& tally;
  void stepped(const Words&) {}
  void turned(const Words&) {}
  void played(std::uint32_t, std::uint32_t, const Words&) {}
  void collision(std::uint32_t, std::uint32_t, float deposit, const Photon&, float,
                 std::uint32_t shell) {
    tally.heat[shell] += deposit;
    tally.heat2[shell] += deposit * deposit;
  }
  void end(std::uint32_t, std::uint32_t) {}
};

struct Kept {
  using Words = Uniforms<LastWords>;
  Trace& trace;
  std::uint64_t first;
  Collision next = {};  ///< as far as it is known
  void stepped(const Words& words) { next.step_word = words.last(); }
  void turned(const Words& words) {
    next.direction_word[0] = words.second_last();
    next.direction_word[1] = words.last();
    next.direction_words = 2;
  }
  void collision(std::uint32_t photon, std::uint32_t k, float, const Photon& moved, float step,
                 std::uint32_t shell) {
    next.step = step;
    next.u = moved.u;
    next.v = moved.v;
    next.w = moved.w;
    next.shell = shell;
    if (k < trace.capacity) kept(photon, k) = next;
    next = {};
  }
  void played(std::uint32_t photon, std::uint32_t collisions, const Words& words) {
    if (collisions > trace.capacity) return;
    kept(photon, collisions - 1).roulette_word = words.last();
    kept(photon, collisions - 1).roulettes = 1;
  }
  void end(std::uint32_t photon, std::uint32_t k) {
    trace.collisions[first + photon] = k;
    next = {};  // the last direction leads nowhere
  }

 private:
  Collision& kept(std::uint32_t photon, std::uint32_t k) {
    return trace.collision[(first + photon) * trace.capacity + k];
  }
};

void simulate(const Job& job, std::uint64_t stream, std::uint32_t photons, Tally& tally) {
  Sums sums{tally};
  follow(job, stream, photons, sums);
}

void record(const Job& job, std::uint64_t stream, std::uint32_t photons, Trace& trace,
            std::uint64_t first) {
  Kept kept{trace, first};
  follow(job, stream, photons, kept);
}

const Registration registered{std::make_unique<CpuStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "One photon at a time in floats, by rejection",
                .source = text("Calculo de nueva direccion del foton"),
                .limit = {"cpu.scalar_ops", 13'484},
                .parameters = common_parameters(100'000)}),
    Walk::full, Body{&simulate, &record},
    Draws{Draws::Unit::middles, Draws::Direction::rejection})};

}  // namespace
}  // namespace ratchet::tiny_mc
