// Writes the raw 32-bit words of one of our generators to stdout, for ci/lab random-battery
// dieharder, ci/lab random-battery practrand and other batteries.
//
// usage: rawwords --generator NAME [--seed S] [--stream K] [--interleave T]
//                 [--length L] [--words N]
//        rawwords --list
//
// Words are in the byte order of the machine; a 64-bit generator gives its low half first. With
// --interleave T the words of the streams K .. K+T-1 alternate: a battery sees what T neighbouring
// threads draw. With --length L the next T streams follow after L words of each: no stream is
// longer than a thread draws it. Without --words it writes until nobody reads. ring15_battleB is
// the differences that the rolls of battle B of a round of graveler/cuda/05_shared_masks show.
// ring15_plainB is the words that those are made of. ring15_cage is the differences of all
// outcomes, which depend on each other along the cycles of the cage, whatever draws the words;
// chacha12_cage is the control. To add a generator, add a line to kGenerators; those of the GPU are
// host code too. ring15_rowsB is the differences that the rolls of battle B, 0..15, of the two rows
// of four lanes show in graveler/cuda/07_more_multiplications: 0..7 are in the upper row.
#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/contract/parameters.h"
#include "kernels/graveler/cage/cage.h"
#include "kernels/graveler/cage/cuda_cage_layout.h"
#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/aes_weyl.h"
#include "kernels/support/rng/chacha12.h"
#include "kernels/support/rng/cross64.h"
#include "kernels/support/rng/mcg64.h"
#include "kernels/support/rng/ring15.h"
#include "kernels/support/rng/splitmix64.h"
#include "kernels/support/rng/wyrand.h"
#include "kernels/support/rng/xorwow.h"
#include "kernels/support/rng/xoshiro256plus.h"
#include "perf/support/error.h"

namespace ratchet {
namespace {

using Words = std::function<std::uint32_t()>;

/// The 32-bit halves of a 64-bit generator, low half first.
template <class Draw>
Words halves(Draw draw) {
  return [draw = std::move(draw), word = std::uint64_t{0}, half = false]() mutable {
    word = half ? word >> 32 : draw();
    half = !half;
    return static_cast<std::uint32_t>(word);
  };
}

template <class Generator>
Words halves_of(Generator generator) {
  return halves([g = std::move(generator)]() mutable { return g.next64(); });
}

Xoshiro256Plus xoshiro(std::uint64_t seed, std::uint64_t stream) {
  SplitMix64 words = seeder(seed, stream);
  return Xoshiro256Plus(words);
}

Words aes_weyl(std::uint64_t seed, std::uint64_t stream) {
  SplitMix64 words = seeder(seed, stream);
  return halves([g = AesWeyl(words), block = AesWeyl::Block{}, second = false]() mutable {
    if (!second) block = g.next();
    second = !second;
    return block[second ? 0 : 1];
  });
}

/// A word of a round, or the difference of two.
struct CageWord {
  unsigned a, b;  ///< b = a: the word alone
};

/// The words given of each round of 45 that `draw(n)`, n = 0..44, draws.
template <class Draw>
Words rounds_of(Draw draw, std::vector<CageWord> words) {
  return [draw = std::move(draw), pool = std::vector<std::uint32_t>(graveler::kCageWords),
          words = std::move(words), used = std::size_t{0}]() mutable {
    if (used == 0)
      for (unsigned n = 0; n < graveler::kCageWords; ++n) pool[n] = draw(n);
    const CageWord& word = words[used];
    used = used + 1 == words.size() ? 0 : used + 1;
    return word.a == word.b ? pool[word.a] : pool[word.a] ^ pool[word.b];
  };
}

Words ring15_round(std::uint64_t seed, std::uint64_t stream, std::vector<CageWord> words) {
  return rounds_of([ring = Ring15(seed, stream)](unsigned n) mutable { return ring.step(n); },
                   std::move(words));
}

/// The two differences that each of some outcomes of kernels/graveler/cage/cage.h shows: what the
/// rolls are made of.
std::vector<CageWord> differences(const std::vector<unsigned>& outcomes) {
  std::vector<CageWord> words;
  for (const unsigned outcome : outcomes)
    for (const unsigned which : {0u, 1u})
      words.push_back(
          {graveler::cage_word(outcome, which), graveler::cage_word(outcome, which + 1)});
  return words;
}

/// The words that some outcomes are made of, as drawn.
std::vector<CageWord> plain_words(const std::vector<unsigned>& outcomes) {
  std::set<unsigned> words;
  for (const unsigned outcome : outcomes)
    for (const unsigned which : {0u, 1u, 2u}) words.insert(graveler::cage_word(outcome, which));
  std::vector<CageWord> plain;
  for (const unsigned word : words) plain.push_back({word, word});
  return plain;
}

/// Outcomes that are wholly of one battle of graveler/cuda/05_shared_masks.
std::vector<unsigned> outcomes_of(unsigned battle) {
  std::vector<unsigned> outcomes;
  for (std::uint32_t turn = 0; turn < 224; turn += 32)
    outcomes.push_back(graveler::shared_masks_bit(battle, turn).outcome);
  return outcomes;
}

template <unsigned Battle>
Words ring15_battle(std::uint64_t seed, std::uint64_t stream) {
  return ring15_round(seed, stream, differences(outcomes_of(Battle)));
}

template <unsigned Battle>
Words ring15_plain(std::uint64_t seed, std::uint64_t stream) {
  return ring15_round(seed, stream, plain_words(outcomes_of(Battle)));
}

/// One of the four lanes of a row.
struct RowLane {
  Ring15Rows ring;
  std::vector<CageWord> words;  ///< at least one
  std::array<std::uint32_t, graveler::kCageWords> pool;

  template <std::size_t... N>
  void draw(std::index_sequence<N...>) {
    ((pool[N] = ring.step<N>()), ...);
  }
};

/// Differences of battle `Battle % 8` of a row of graveler/cuda/07_more_multiplications, the upper
/// one below 8: those of the outcomes that are wholly the battle's, lane after lane of the four.
template <unsigned Battle>
Words ring15_rows(std::uint64_t seed, std::uint64_t stream) {
  constexpr unsigned battle = Battle % 8 + Battle / 8 * 64;  // rows 0 and 8
  std::map<unsigned, std::map<unsigned, unsigned>> rolls;    // by lane and outcome
  for (std::uint32_t turn = 0; turn < graveler::kTurns; ++turn) {
    const graveler::OutcomeBit at = graveler::tensor_count_bit(battle, turn);
    ++rolls[at.lane][at.outcome];
  }
  std::vector<RowLane> lanes;
  for (const auto& [lane, outcomes] : rolls) {
    std::vector<unsigned> whole;
    for (const auto& [outcome, bits] : outcomes)
      if (bits == 32) whole.push_back(outcome);
    lanes.push_back({Ring15Rows(seed, 4 * stream + lane), differences(whole), {}});
  }
  return [lanes = std::move(lanes), lane = std::size_t{0}, used = std::size_t{0}]() mutable {
    if (used == 0) lanes[lane].draw(std::make_index_sequence<graveler::kCageWords>());
    const CageWord& word = lanes[lane].words[used];
    const std::uint32_t difference = lanes[lane].pool[word.a] ^ lanes[lane].pool[word.b];
    if (++used == lanes[lane].words.size()) used = 0, lane = (lane + 1) % lanes.size();
    return difference;
  };
}

std::vector<CageWord> all_differences() {
  std::vector<unsigned> outcomes(graveler::kCageOutcomes);
  std::iota(outcomes.begin(), outcomes.end(), 0u);
  return differences(outcomes);
}

Words ring15_cage(std::uint64_t seed, std::uint64_t stream) {
  return ring15_round(seed, stream, all_differences());
}

/// What the cage itself shows, whatever draws its words.
Words chacha12_cage(std::uint64_t seed, std::uint64_t stream) {
  return rounds_of([g = ChaCha12(seed, stream)](unsigned) mutable { return g.next32(); },
                   all_differences());
}

Words ring15(std::uint64_t seed, std::uint64_t stream) {
  return [ring = Ring15(seed, stream), n = 0u]() mutable {
    n = n == Ring15::kRound ? 0 : n;
    return ring.step(n++);
  };
}

Words xorwow(std::uint64_t seed, std::uint64_t stream) {
  return [g = Xorwow(mix64(seed + stream))]() mutable { return g.next32(); };
}

Words mcg64(std::uint64_t seed, std::uint64_t stream) {
  return [g = Mcg64(mix64(seed), stream)]() mutable { return g.next(); };
}

Words cross64(std::uint64_t seed, std::uint64_t stream) {
  return [g = Cross64(mix64(seed), stream)]() mutable { return g.next(); };
}

Words counter(std::uint64_t seed, std::uint64_t stream) {
  return [=, k = std::uint64_t{0}]() mutable { return counter_word32(seed, stream, k++); };
}

struct Generator {
  const char* name;
  Words (*make)(std::uint64_t seed, std::uint64_t stream);
};

constexpr Generator kGenerators[] = {
    {"aes_weyl", aes_weyl},
    {"chacha12",
     [](std::uint64_t seed, std::uint64_t stream) -> Words {
       return [g = ChaCha12(seed, stream)]() mutable { return g.next32(); };
     }},
    {"chacha12_cage", chacha12_cage},
    {"counter", counter},
    {"cross64", cross64},
    {"mcg64", mcg64},
    {"ring15", ring15},
    {"ring15_battle0", ring15_battle<0>},
    {"ring15_battle1", ring15_battle<1>},
    {"ring15_battle2", ring15_battle<2>},
    {"ring15_battle3", ring15_battle<3>},
    {"ring15_cage", ring15_cage},
    {"ring15_plain0", ring15_plain<0>},
    {"ring15_plain1", ring15_plain<1>},
    {"ring15_plain2", ring15_plain<2>},
    {"ring15_plain3", ring15_plain<3>},
    {"ring15_rows0", ring15_rows<0>},
    {"ring15_rows1", ring15_rows<1>},
    {"ring15_rows2", ring15_rows<2>},
    {"ring15_rows3", ring15_rows<3>},
    {"ring15_rows4", ring15_rows<4>},
    {"ring15_rows5", ring15_rows<5>},
    {"ring15_rows6", ring15_rows<6>},
    {"ring15_rows7", ring15_rows<7>},
    {"ring15_rows8", ring15_rows<8>},
    {"ring15_rows9", ring15_rows<9>},
    {"ring15_rows10", ring15_rows<10>},
    {"ring15_rows11", ring15_rows<11>},
    {"ring15_rows12", ring15_rows<12>},
    {"ring15_rows13", ring15_rows<13>},
    {"ring15_rows14", ring15_rows<14>},
    {"ring15_rows15", ring15_rows<15>},
    {"splitmix64",
     [](std::uint64_t seed, std::uint64_t stream) { return halves_of(seeder(seed, stream)); }},
    {"wyrand",
     [](std::uint64_t seed, std::uint64_t stream) { return halves_of(Wyrand(seed, stream)); }},
    {"xorwow", xorwow},
    {"xoshiro256plus",
     [](std::uint64_t seed, std::uint64_t stream) { return halves_of(xoshiro(seed, stream)); }},
};

std::string names() {
  std::string all;
  for (const Generator& generator : kGenerators)
    all += (all.empty() ? "" : ", ") + std::string(generator.name);
  return all;
}

struct Options {
  std::string generator;
  std::uint64_t seed = 1, stream = 0, interleave = 1, length = 0, words = 0;
};

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = arguments[i];
    if (i + 1 == count) throw Error(std::string(name) + " needs a value");
    const std::string_view value = arguments[i + 1];
    if (name == "--generator")
      options.generator = value;
    else if (name == "--seed")
      options.seed = parse_unsigned(value, name);
    else if (name == "--stream")
      options.stream = parse_unsigned(value, name);
    else if (name == "--interleave")
      options.interleave = parse_unsigned(value, name);
    else if (name == "--length")
      options.length = parse_unsigned(value, name);
    else if (name == "--words")
      options.words = parse_unsigned(value, name);
    else
      throw Error("unknown option '" + std::string(name) +
                  "'; there are --generator --seed --stream --interleave --length --words --list");
  }
  if (options.interleave == 0 || options.interleave > 1'000'000)
    throw Error("--interleave is out of range, give 1 to 1000000");
  return options;
}

/// The streams from `first` on that alternate.
std::vector<Words> streams(const Options& options, std::uint64_t first) {
  for (const Generator& generator : kGenerators) {
    if (options.generator != generator.name) continue;
    std::vector<Words> all;
    for (std::uint64_t i = 0; i < options.interleave; ++i)
      all.push_back(generator.make(options.seed, first + i));
    return all;
  }
  throw Error("no generator '" + options.generator + "'; there are " + names());
}

void write(const Options& options) {
  std::uint64_t first = options.stream, drawn = 0;
  std::vector<Words> all = streams(options, first);
  std::vector<std::uint32_t> buffer(1 << 14);
  std::size_t next = 0;
  for (std::uint64_t left = options.words; options.words == 0 || left > 0;) {
    const std::size_t size =
        options.words == 0 || left > buffer.size() ? buffer.size() : static_cast<std::size_t>(left);
    for (std::size_t i = 0; i < size; ++i) {
      buffer[i] = all[next]();
      next = next + 1 == all.size() ? 0 : next + 1;
      if (next == 0 && ++drawn == options.length) {
        all = streams(options, first += options.interleave);
        drawn = 0;
      }
    }
    if (std::fwrite(buffer.data(), sizeof buffer[0], size, stdout) != size) return;
    left -= options.words == 0 ? 0 : size;
  }
}

}  // namespace
}  // namespace ratchet

int main(int count, char** arguments) {
  try {
    if (count == 2 && std::string_view(arguments[1]) == "--list")
      std::puts(ratchet::names().c_str());
    else
      ratchet::write(ratchet::parse(count, arguments));
    return 0;
  } catch (const ratchet::Error& error) {
    std::fprintf(stderr, "rawwords: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
