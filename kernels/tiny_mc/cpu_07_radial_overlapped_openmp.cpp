// tiny_mc/cpu/07_radial_overlapped_openmp
// Changed:  the walk of 06, photon by photon, in another order of work. A row of photons is drawn
//           while the logarithm of the row before is taken, the row before that moves, and a fourth
//           one is stored; the shells of a row stored some time ago are counted in between. The
//           counts of a collision go to the heat by vectors, and survivors close ranks by vectors.
// Why:      of 57 cycles that a row of sixteen takes in 05 on a Zen 4, two fifths count, and the
//           rest waits for one result after the other. Counting needs no vector unit, and what
//           depends on nothing can be done meanwhile.
// Expected: the floor of a row: 44 vector operations, two a cycle, and a square root, 22.5 cycles
//           (measured with independent operations, sixteen additions to memory between them).
//           28 with what waits, 31 with what is not the loop: 1.8 times 06.
//           In fact 30 and 34 (STAGES.md).
// Source:   ratchet.

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tiny_mc/cpu_07_radial_overlapped_openmp.cpp"
// foreach_target.h stands before all else of Highway.
// clang-format off
#include "hwy/foreach_target.h"
#include "hwy/contrib/math/math-inl.h"
#include "kernels/support/rng/xoshiro256plus-inl.h"
#include "kernels/tiny_mc/walks/cpu_bodies.h"
#include "kernels/tiny_mc/walks/cpu_openmp.h"
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace ratchet::tiny_mc::HWY_NAMESPACE {
namespace {

#include "kernels/tiny_mc/walks/cpu_vector_walk-inl.h"

/// x as an integer, towards zero, for x that an int holds: one operation where the library takes
/// four more for x that it does not.
HWY_INLINE hn::Vec<Ints> truncated(Row x) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<Ints>{_mm512_cvttps_epi32(x.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<Ints>{_mm256_cvttps_epi32(x.raw)};
#else
  return hn::ConvertTo(Ints(), x);
#endif
}

/// What steps are scaled with, and where they end.
struct Steps {
  explicit Steps(const Medium& medium)
      : minus_scale(hn::Set(Floats(), -static_cast<float>(medium.shells_per_mean_free_path()))),
        last(hn::Set(Floats(), static_cast<float>(medium.shells - 1))) {}
  Row minus_scale, last;
};

/// A collision of a row in four parts. Each takes what the part before left, so that four rows can
/// be in work at once: the parts of a later row come first, and wait for nothing.
template <class Words>
class Parts {
 public:
  HWY_INLINE Parts(const Words& words, const Steps& steps)
      : words_(words), minus_scale_(steps.minus_scale), last_(steps.last) {}

  /// The row's two words; the exponent and mantissa of the first as ShortLog takes them.
  HWY_INLINE void draw() {
    const Floats f32;
    const Ints i32;
    const Row x = words_.unit();
    twice_mu_ = RowWords::centred(words_.word(), 0x1p-21f);
    const auto half_root = hn::Set(i32, 0x3f3504f3);
    const auto bits = hn::Sub(hn::BitCast(i32, x), half_root);
    exponent_ = hn::ConvertTo(f32, hn::ShiftRight<23>(bits));
    const auto m = hn::Add(hn::And(bits, hn::Set(i32, 0x7fffff)), half_root);
    f_ = hn::Sub(hn::BitCast(f32, m), hn::Set(f32, 1.0f));
  }
  /// The step: ShortLog's operations and numbers, to which a test holds them bit for bit.
  HWY_INLINE void logarithm() {
    const Floats f32;
    constexpr float kP[] = {0.999999945f, -0.500003651f, 0.33335059f,  -0.249699093f,
                            0.19900163f,  -0.172508241f, 0.162225983f, -0.101069366f};
    Row p = hn::Set(f32, kP[7]);
    for (int i = 6; i >= 0; --i) p = hn::MulAdd(p, f_, hn::Set(f32, kP[i]));
    const Row sum = hn::MulAdd(exponent_, hn::Set(f32, 0.693147181f), hn::Mul(f_, p));
    t_ = hn::Mul(sum, minus_scale_);
    of_t_twice_mu_ = twice_mu_;
  }
  HWY_INLINE void move(const float* distance) {
    const Floats f32;
    const Row r = hn::Load(f32, distance);
    const Row along = hn::MulAdd(t_, of_t_twice_mu_, r);
    // Rounding may leave a little less than nothing near the centre.
    moved_ = hn::Sqrt(hn::Max(hn::MulAdd(r, along, hn::Mul(t_, t_)), hn::Zero(f32)));
  }
  HWY_INLINE void store(float* distance, std::int32_t* shell) {
    hn::Store(moved_, Floats(), distance);
    hn::Store(truncated(hn::Min(moved_, last_)), Ints(), shell);
  }

  const Words& words() const { return words_; }
  /// After logarithm(), for a trace.
  HWY_INLINE void show(SeenSteps& seen) const {
    const Floats f32;
    hn::Store(t_, f32, seen.t);
    std::copy_n(words_.second_last, kLanes, seen.step_word);
    seen.one_word(words_);
    seen.direction(hn::Zero(f32), hn::Zero(f32), hn::Mul(of_t_twice_mu_, hn::Set(f32, 0.5f)));
  }

 private:
  Words words_;
  Row minus_scale_, last_;
  Row f_, exponent_, twice_mu_;  // of draw()
  Row t_, of_t_twice_mu_;        // of logarithm()
  Row moved_;                    // of move()
};

/// What run() keeps: counts per shell, four of each as in CountSink, and heat in padded arrays.
class Counts {
 public:
  static constexpr bool kTraces = false;
  using Words = RowWords;

  explicit Counts(std::size_t shells) : shells_(shells) {
    const std::size_t used = (shells + kPadding - 1) / kPadding * kPadding;
    for (std::size_t copy = 0; copy < kCopies; ++copy)
      std::fill_n(count_ + kStride * copy, used, 0);
    std::fill_n(heat_, used, 0.0), std::fill_n(heat2_, used, 0.0);
  }
  HWY_INLINE void row(const std::int32_t* shell) {
    for (std::size_t i = 0; i < kLanes; ++i) count(i % kCopies, shell[i]);
  }
  HWY_INLINE void some(const std::int32_t* shell, std::uint32_t photons) {
    std::uint32_t i = 0;
    for (; i + kLanes <= photons; i += kLanes) row(shell + i);
    for (; i < photons; ++i) count(0, shell[i]);
  }
  HWY_INLINE void collision_done(double deposit) {
    const hn::ScalableTag<double> f64;
    const hn::Rebind<std::int32_t, decltype(f64)> i32;
    const auto weight = hn::Set(f64, deposit), weight2 = hn::Set(f64, deposit * deposit);
    for (std::size_t s = 0; s < shells_; s += hn::Lanes(f64)) {
      auto sum = hn::Load(i32, count_ + s);
      for (std::size_t copy = 1; copy < kCopies; ++copy)
        sum = hn::Add(sum, hn::Load(i32, count_ + kStride * copy + s));
      for (std::size_t copy = 0; copy < kCopies; ++copy)
        hn::Store(hn::Zero(i32), i32, count_ + kStride * copy + s);
      const auto deposits = hn::PromoteTo(f64, sum);
      hn::Store(hn::MulAdd(deposits, weight, hn::Load(f64, heat_ + s)), f64, heat_ + s);
      hn::Store(hn::MulAdd(deposits, weight2, hn::Load(f64, heat2_ + s)), f64, heat2_ + s);
    }
  }
  void add_to(Tally& tally) const {
    for (std::size_t s = 0; s < shells_; ++s) {
      tally.heat[s] += heat_[s];
      tally.heat2[s] += heat2_[s];
    }
  }
  void ended(std::uint32_t, std::uint32_t) {}

 private:
  static constexpr std::size_t kStride = CountSink::kStride, kCopies = 4, kPadding = 16;
  HWY_INLINE void count(std::size_t copy, std::int32_t shell) {
    ++count_[kStride * copy + static_cast<std::uint32_t>(shell)];
  }
  std::size_t shells_;
  alignas(64) std::int32_t count_[kCopies * kStride];
  alignas(64) double heat_[kStride], heat2_[kStride];
};

/// One collision of every photon: four rows in work, and the shells of a fifth counted, which was
/// stored so long ago that its loads do not wait for that store.
HWY_INLINE void collide(const Steps& steps, RowWords& words, Flock<1>& flock, Counts& counts,
                        std::uint32_t) {
  constexpr std::uint32_t kInWork = 3, kBehind = kInWork + 4;
  const std::uint32_t rows = (flock.photons + kLanes - 1) / kLanes;
  float* r = flock.field[0];
  std::int32_t* shell = flock.shell;
  const auto at = [](std::uint32_t row) { return row * kLanes; };
  Parts<RowWords> parts(words, steps);
  std::uint32_t counted = 0;
  if (rows < kInWork) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      parts.draw(), parts.logarithm(), parts.move(r + at(row));
      parts.store(r + at(row), shell + at(row));
    }
  } else {
    parts.draw(), parts.logarithm();
    parts.draw(), parts.move(r), parts.logarithm();
    parts.draw();
    std::uint32_t row = kInWork;
    const auto advance = [&]() HWY_ATTR {
      parts.store(r + at(row - 3), shell + at(row - 3));
      parts.move(r + at(row - 2));
      parts.logarithm();
      parts.draw();
    };
    for (; row < std::min(rows, kBehind); ++row) advance();
    for (; row < rows; ++row, ++counted) {
      advance();
      counts.row(shell + at(counted));
    }
    parts.store(r + at(rows - 3), shell + at(rows - 3));
    parts.move(r + at(rows - 2)), parts.logarithm();
    parts.store(r + at(rows - 2), shell + at(rows - 2));
    parts.move(r + at(rows - 1));
    parts.store(r + at(rows - 1), shell + at(rows - 1));
  }
  words = parts.words();
  counts.some(shell + at(counted), flock.photons - static_cast<std::uint32_t>(at(counted)));
}

/// The same for a trace, a row after the other: the words are drawn in the same order.
HWY_INLINE void collide(const Steps& steps, SeenRowWords& words, Flock<1>& flock, TraceSink& sink,
                        std::uint32_t k) {
  Parts<SeenRowWords> parts(words, steps);
  SeenSteps seen;
  for (std::uint32_t at = 0; at < flock.photons; at += kLanes) {
    parts.draw(), parts.logarithm(), parts.show(seen);
    parts.move(&flock.field[0][at]), parts.store(&flock.field[0][at], &flock.shell[at]);
    sink.row(seen, &flock.shell[at], k, std::min<std::size_t>(kLanes, flock.photons - at),
             &flock.id[at]);
  }
  words = parts.words();
}

/// Roulette: survivors close ranks, a row at a time; of the others a trace is told.
template <class Sink>
HWY_INLINE void play_roulette_by_rows(typename Sink::Words& words, float survival, Flock<1>& flock,
                                      std::uint32_t collisions, Sink& sink) {
  const Floats f;
  std::uint32_t kept = 0;
  for (std::uint32_t at = 0; at < flock.photons; at += kLanes) {
    const Row drawn = words.unit();
    const auto in = hn::FirstN(f, std::min<std::size_t>(kLanes, flock.photons - at));
    const auto on = hn::And(in, hn::Le(drawn, hn::Set(f, survival)));
    if constexpr (Sink::kTraces) {
      sink.drawn(words);
      alignas(64) float unit[kLanes];
      hn::Store(drawn, f, unit);
      for (std::uint32_t i = at; i < std::min<std::uint32_t>(at + kLanes, flock.photons); ++i) {
        sink.played(flock.id[i], i - at, collisions);
        if (!(unit[i - at] <= survival)) sink.ended(flock.id[i], collisions);
      }
    }
    hn::StoreU(hn::Compress(hn::Load(f, &flock.field[0][at]), on), f, &flock.field[0][kept]);
    if constexpr (Sink::kTraces) {
      const Words32 ids;
      hn::StoreU(hn::Compress(hn::Load(ids, &flock.id[at]), hn::RebindMask(ids, on)), ids,
                 &flock.id[kept]);
    }
    kept += static_cast<std::uint32_t>(hn::CountTrue(f, on));
  }
  flock.photons = kept;
}

template <class Sink>
HWY_INLINE void walk_by_parts(const Job& job, std::uint64_t stream, std::uint32_t photons,
                              Sink& sink) {
  typename Sink::Words words(job.seed, stream);
  Flock<1> flock(photons);
  const Steps steps(job.medium);
  const float survival = static_cast<float>(job.schedule.survival);
  std::uint32_t k = 0;
  for (const auto& round : job.schedule.rounds) {
    double deposit = (1 - job.schedule.albedo) * round.weight;
    for (std::uint32_t i = 0; i < round.collisions; ++i, ++k) {
      collide(steps, words, flock, sink, k);
      sink.collision_done(deposit);
      deposit *= job.schedule.albedo;
    }
    play_roulette_by_rows(words, survival, flock, k, sink);
    if (flock.photons == 0) return;
  }
  // Whoever is left when the schedule ends.
  for (std::uint32_t i = 0; i < flock.photons; ++i) sink.ended(flock.id[i], k);
}

void simulate_by_parts(const Job& job, std::uint64_t stream, std::uint32_t photons, Tally& tally) {
  Counts counts(tally.heat.size());
  walk_by_parts(job, stream, photons, counts);
  counts.add_to(tally);
}

void record_by_parts(const Job& job, std::uint64_t stream, std::uint32_t photons, Trace& trace,
                     std::uint64_t first) {
  TraceSink sink{.trace = trace,
                 .first = first,
                 .scale = static_cast<float>(job.medium.shells_per_mean_free_path())};
  walk_by_parts(job, stream, photons, sink);
}

Body make_overlapped_body() { return {&simulate_by_parts, &record_by_parts}; }

}  // namespace
}  // namespace ratchet::tiny_mc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ratchet::tiny_mc {
namespace {

HWY_EXPORT(make_overlapped_body);

/// Operations on 64-bit lanes for a photon: 44 for sixteen, counted as kRadialOps.
constexpr double kOverlappedOps = 44.0 / 2 * 75.667;

const Registration registered{std::make_unique<OpenMpStage>(
    stage_info({.name = RATCHET_STAGE,
                .summary = "06 with four rows in work at once, and counting between them",
                .source = "ratchet",
                .limit = {"cpu.vector_ops", kOverlappedOps},
                .parameters = common_parameters(4'000'000, {threads_parameter()}),
                .threads = "threads"}),
    Walk::radial, HWY_DYNAMIC_DISPATCH(make_overlapped_body)(), kRadialDraws)};

}  // namespace
}  // namespace ratchet::tiny_mc
#endif  // HWY_ONCE
