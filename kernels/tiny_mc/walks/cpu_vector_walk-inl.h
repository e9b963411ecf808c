// A chunk of photons, a vector of them at a time, all of them one collision on before any makes its
// next.
//
// No include guard, on purpose: every stage includes this inside its own unnamed namespace within
// its HWY_NAMESPACE, after kernels/support/rng/xoshiro256plus-inl.h, hwy/contrib/math/math-inl.h
// and kernels/tiny_mc/walks/cpu_stage.h, and gets code for each instruction set.
//
// Since the weight at collision k is the same for all photons, going through the chunk collision by
// collision needs no weights: integer counts of photons per shell, added up once a collision.
// Photons wait in a first-level cache meanwhile, and as they do not depend on each other, the
// logarithms and roots of one row overlap with the next. Survivors of roulette close ranks, so
// vectors stay full.
//
// A method supplies
//   kFields                numbers kept for a photon, 0 at the centre
//   step(words, scale, photon, seen)
//                          moves a row of photons; returns the radius in shells. `seen` is told the
//                          step and its direction, each when its words were drawn, for the trace,
//                          and ignores them otherwise.

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words32 = hn::RebindToUnsigned<Floats>;
using Ints = hn::RebindToSigned<Floats>;
using Row = hn::Vec<Floats>;
inline constexpr std::size_t kLanes = hn::MaxLanes(Floats());
inline constexpr std::size_t kWordLanes = kLanes > 1 ? kLanes / 2 : 1;  ///< of 64 bits in a vector

/// Uniform numbers, a row at a time.
class RowWords {
 public:
  RowWords(std::uint64_t seed, std::uint64_t stream) : words_(seed, stream) {}

  HWY_INLINE hn::Vec<Words32> word() {
    const auto words = words_.next().part[0];
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(Words32(), static_cast<std::uint32_t>(hn::GetLane(words) >> 32));
#else
    return hn::BitCast(Words32(), words);
#endif
  }
  HWY_INLINE Row unit() { return open_units(word()); }
  HWY_INLINE Row cosine() { return centred(word(), 0x1p-22f); }

  /// On (0, 1), as open_unit().
  static HWY_INLINE Row open_units(hn::Vec<Words32> word) {
    const Floats f;
    const auto one_up = hn::Or(hn::ShiftRight<9>(word), hn::Set(Words32(), 0x3f800000u));
    return hn::Sub(hn::BitCast(f, one_up), hn::Set(f, 1 - 0x1p-24f));
  }
  /// Uniform on (-a, a) where unit = a / 2^22: the signed high bits m, as (m + 1/2) unit.
  static HWY_INLINE Row centred(hn::Vec<Words32> word, float unit) {
    const Floats f;
    const auto m = hn::ShiftRight<9>(hn::BitCast(Ints(), word));
    return hn::MulAdd(hn::ConvertTo(f, m), hn::Set(f, unit), hn::Set(f, unit / 2));
  }

 private:
  ratchet::HWY_NAMESPACE::XoshiroLanes<kWordLanes> words_;
};

/// The same numbers, and the last two rows of words remembered: a trace's. Written out, for a base
/// class of the timed words, an empty one even, would change their code.
class SeenRowWords : public RowWords {
 public:
  SeenRowWords(std::uint64_t seed, std::uint64_t stream) : RowWords(seed, stream) {}

  HWY_INLINE hn::Vec<Words32> word() {
    const auto word = RowWords::word();
    std::copy_n(last, kLanes, second_last);
    hn::Store(word, Words32(), last);
    return word;
  }
  HWY_INLINE Row unit() { return open_units(word()); }
  HWY_INLINE Row cosine() { return centred(word(), 0x1p-22f); }

  alignas(64) std::uint32_t last[kLanes] = {}, second_last[kLanes] = {};
};

/// -log(x) * scale for x in (0, 1), by the library.
struct LibraryLog {
  static HWY_INLINE Row minus_log(Row x, Row scale) {
    return hn::Mul(hn::Neg(hn::Log(Floats(), x)), scale);
  }
};

/// The same without what a logarithm owes zeros, infinities and denormals, and without its
/// division: x = 2^e (1 + f) with |f| < 0.42, log(1 + f) = f P(f), P of degree 7 fitted for the
/// least relative error, 1.7e-7.
struct ShortLog {
  static HWY_INLINE Row minus_log(Row x, Row scale) {
    const Floats f32;
    const Ints i32;
    const auto bits = hn::Sub(hn::BitCast(i32, x), hn::Set(i32, 0x3f3504f3));  // sqrt(1/2)
    const auto e = hn::ShiftRight<23>(bits);
    const auto m = hn::Sub(hn::BitCast(i32, x), hn::ShiftLeft<23>(e));
    const Row f = hn::Sub(hn::BitCast(f32, m), hn::Set(f32, 1.0f));
    constexpr float kP[] = {0.999999945f, -0.500003651f, 0.33335059f,  -0.249699093f,
                            0.19900163f,  -0.172508241f, 0.162225983f, -0.101069366f};
    Row p = hn::Set(f32, kP[7]);
    for (int i = 6; i >= 0; --i) p = hn::MulAdd(p, f, hn::Set(f32, kP[i]));
    const Row sum = hn::MulAdd(hn::ConvertTo(f32, e), hn::Set(f32, 0.693147181f), hn::Mul(f, p));
    return hn::Neg(hn::Mul(sum, scale));
  }
};

/// The photons of a chunk that are still on their way.
template <std::size_t kFields>
struct Flock {
  alignas(64) float field[kFields][kChunk] = {};
  alignas(64) std::int32_t shell[kChunk];
  alignas(64) std::uint32_t id[kChunk];
  std::uint32_t photons;

  explicit Flock(std::uint32_t count) : photons(count) {
    for (std::uint32_t i = 0; i < kChunk; ++i) id[i] = i;
  }
};

struct UnseenSteps {
  HWY_INLINE void step(Row, const RowWords&) {}
  HWY_INLINE void one_word(const RowWords&) {}
  HWY_INLINE void two_words(const RowWords&) {}
  HWY_INLINE void two_words(const RowWords&, hn::Mask<Floats>) {}
  HWY_INLINE void fixed(hn::Mask<Floats>) {}
  HWY_INLINE void direction(Row, Row, Row) {}
};

/// What run() keeps: counts per shell, added to the tally after each collision.
struct CountSink {
  /// Games of roulette are shown to a sink that traces: a call at that place, even of nothing,
  /// would change the timed code.
  static constexpr bool kTraces = false;
  using Words = RowWords;
  using Seen = UnseenSteps;
  /// Four counts for each shell, so that photons in the same shell wait less for each other. Apart
  /// by no multiple of 4096 bytes, which loads and stores would take for the same address.
  static constexpr std::size_t kStride = kMaxShells + 16;
  Tally& tally;
  std::uint32_t* count;

  HWY_INLINE void row(const Seen&, const std::int32_t*, std::uint32_t, std::size_t,
                      const std::uint32_t*) {}
  /// All photons of a collision at once: were each row counted as it comes, the loads of its shells
  /// would wait for the vector store of the moment before.
  HWY_INLINE void shells(const std::int32_t* shell, std::uint32_t photons) {
    std::size_t i = 0;
    for (; i + 4 <= photons; i += 4)
      for (std::size_t copy = 0; copy < 4; ++copy)
        ++count[kStride * copy + static_cast<std::uint32_t>(shell[i + copy])];
    for (; i < photons; ++i) ++count[shell[i]];
  }
  void collision_done(double deposit) {
    const std::size_t shells = tally.heat.size();
    double* heat = tally.heat.data();
    double* heat2 = tally.heat2.data();
    for (std::size_t shell = 0; shell < shells; ++shell) {
      const double deposits = count[shell] + count[kStride + shell] + count[2 * kStride + shell] +
                              count[3 * kStride + shell];
      heat[shell] += deposits * deposit;
      heat2[shell] += deposits * (deposit * deposit);
    }
    for (std::size_t copy = 0; copy < 4; ++copy) std::fill_n(count + kStride * copy, shells, 0u);
  }
  void ended(std::uint32_t, std::uint32_t) {}
};

/// A row of a trace. A direction is of the words that it was told last.
struct SeenSteps {
  alignas(64) float t[kLanes], u[kLanes], v[kLanes], w[kLanes];
  alignas(64) std::uint32_t step_word[kLanes], first[kLanes] = {}, second[kLanes] = {};
  std::uint16_t direction_words[kLanes] = {};

  HWY_INLINE void step(Row steps, const SeenRowWords& words) {
    hn::Store(steps, Floats(), t);
    std::copy_n(words.last, kLanes, step_word);
  }
  HWY_INLINE void one_word(const SeenRowWords& words) {
    std::copy_n(words.last, kLanes, first);
    std::fill_n(direction_words, kLanes, std::uint16_t{1});
  }
  HWY_INLINE void two_words(const SeenRowWords& words) {
    two_words(words, hn::FirstN(Floats(), kLanes));
  }
  /// In those lanes alone: the others keep what they have.
  HWY_INLINE void two_words(const SeenRowWords& words, hn::Mask<Floats> where) {
    for_lanes(where, [&](std::size_t lane) {
      first[lane] = words.second_last[lane];
      second[lane] = words.last[lane];
      direction_words[lane] = 2;
    });
  }
  /// Those lanes take a fixed direction, whatever was drawn.
  HWY_INLINE void fixed(hn::Mask<Floats> where) {
    for_lanes(where, [&](std::size_t lane) {
      first[lane] = second[lane] = 0;
      direction_words[lane] = 0;
    });
  }
  HWY_INLINE void direction(Row us, Row vs, Row ws) {
    hn::Store(us, Floats(), u);
    hn::Store(vs, Floats(), v);
    hn::Store(ws, Floats(), w);
  }
  Collision of(std::size_t lane, float scale, std::int32_t shell) const {
    return {.step = t[lane] / scale,
            .u = u[lane],
            .v = v[lane],
            .w = w[lane],
            .shell = static_cast<std::uint32_t>(shell),
            .step_word = step_word[lane],
            .direction_word = {first[lane], second[lane]},
            .direction_words = direction_words[lane]};
  }

 private:
  template <class F>
  static HWY_INLINE void for_lanes(hn::Mask<Floats> where, F f) {
    alignas(64) std::uint32_t taken[kLanes];
    hn::Store(hn::BitCast(Words32(), hn::VecFromMask(Floats(), where)), Words32(), taken);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (taken[lane] != 0) f(lane);
  }
};

/// What trace() keeps.
struct TraceSink {
  static constexpr bool kTraces = true;
  using Words = SeenRowWords;
  using Seen = SeenSteps;
  Trace& trace;
  std::uint64_t first;
  float scale;
  alignas(64) std::uint32_t roulette_words[kLanes] = {};

  void row(const Seen& seen, const std::int32_t* shell, std::uint32_t k, std::size_t lanes,
           const std::uint32_t* id) {
    if (k >= trace.capacity) return;
    for (std::size_t lane = 0; lane < lanes; ++lane)
      kept(id[lane], k) = seen.of(lane, scale, shell[lane]);
  }
  void shells(const std::int32_t*, std::uint32_t) {}
  void collision_done(double) {}
  void drawn(const Words& words) { std::copy_n(words.last, kLanes, roulette_words); }
  void played(std::uint32_t id, std::uint32_t lane, std::uint32_t collisions) {
    if (collisions > trace.capacity) return;
    kept(id, collisions - 1).roulette_word = roulette_words[lane];
    kept(id, collisions - 1).roulettes = 1;
  }
  void ended(std::uint32_t id, std::uint32_t collisions) {
    trace.collisions[first + id] = collisions;
  }

 private:
  Collision& kept(std::uint32_t id, std::uint32_t k) {
    return trace.collision[(first + id) * trace.capacity + k];
  }
};

/// One collision of every photon of the flock.
template <class Method, class Sink>
HWY_INLINE void collide(typename Sink::Words& words, Row scale, Row last,
                        Flock<Method::kFields>& flock, std::uint32_t k, Sink& sink) {
  const Floats f;
  for (std::uint32_t at = 0; at < flock.photons; at += kLanes) {
    Row photon[Method::kFields];
    for (std::size_t i = 0; i < Method::kFields; ++i) photon[i] = hn::Load(f, &flock.field[i][at]);
    typename Sink::Seen seen;
    const Row radius = Method::step(words, scale, photon, seen);
    for (std::size_t i = 0; i < Method::kFields; ++i) hn::Store(photon[i], f, &flock.field[i][at]);
    std::int32_t* shell = &flock.shell[at];
    hn::Store(hn::ConvertTo(Ints(), hn::Min(radius, last)), Ints(), shell);
    sink.row(seen, shell, k, std::min<std::size_t>(kLanes, flock.photons - at), &flock.id[at]);
  }
  sink.shells(flock.shell, flock.photons);
}

/// Roulette: survivors close ranks, the others end after `collisions`.
template <std::size_t kFields, class Sink>
HWY_INLINE void play_roulette(typename Sink::Words& words, float survival, Flock<kFields>& flock,
                              std::uint32_t collisions, Sink& sink) {
  const Floats f;
  std::uint32_t kept = 0;
  for (std::uint32_t at = 0; at < flock.photons; at += kLanes) {
    alignas(64) float drawn[kLanes];
    hn::Store(words.unit(), f, drawn);
    if constexpr (Sink::kTraces) sink.drawn(words);
    const std::uint32_t end = std::min<std::uint32_t>(at + kLanes, flock.photons);
    for (std::uint32_t i = at; i < end; ++i) {
      if constexpr (Sink::kTraces) sink.played(flock.id[i], i - at, collisions);
      if (drawn[i - at] > survival) {
        sink.ended(flock.id[i], collisions);
        continue;
      }
      for (std::size_t n = 0; n < kFields; ++n) flock.field[n][kept] = flock.field[n][i];
      flock.id[kept++] = flock.id[i];
    }
  }
  flock.photons = kept;
}

template <class Method, class Sink>
HWY_INLINE void walk(const Job& job, std::uint64_t stream, std::uint32_t photons, Sink& sink) {
  const Floats f;
  typename Sink::Words words(job.seed, stream);
  Flock<Method::kFields> flock(photons);
  const Row scale = hn::Set(f, static_cast<float>(job.medium.shells_per_mean_free_path()));
  const Row last = hn::Set(f, static_cast<float>(job.medium.shells - 1));
  const float survival = static_cast<float>(job.schedule.survival);
  std::uint32_t k = 0;
  for (const auto& round : job.schedule.rounds) {
    double deposit = (1 - job.schedule.albedo) * round.weight;
    for (std::uint32_t i = 0; i < round.collisions; ++i, ++k) {
      collide<Method>(words, scale, last, flock, k, sink);
      sink.collision_done(deposit);
      deposit *= job.schedule.albedo;
    }
    play_roulette(words, survival, flock, k, sink);
    if (flock.photons == 0) return;
  }
  // Beyond the last round of the schedule nobody goes.
  for (std::uint32_t i = 0; i < flock.photons; ++i) sink.ended(flock.id[i], k);
}

template <class Method>
void simulate_chunk(const Job& job, std::uint64_t stream, std::uint32_t photons, Tally& tally) {
  std::uint32_t count[4 * CountSink::kStride] = {};
  CountSink sink{tally, count};
  walk<Method>(job, stream, photons, sink);
}

template <class Method>
void record_chunk(const Job& job, std::uint64_t stream, std::uint32_t photons, Trace& trace,
                  std::uint64_t first) {
  TraceSink sink{.trace = trace,
                 .first = first,
                 .scale = static_cast<float>(job.medium.shells_per_mean_free_path())};
  walk<Method>(job, stream, photons, sink);
}
