// Known answers for every random number generator.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/support/counter_stream.h"
#include "kernels/support/rng/aes_weyl.h"
#include "kernels/support/rng/chacha12.h"
#include "kernels/support/rng/cross64.h"
#include "kernels/support/rng/mcg64.h"
#include "kernels/support/rng/splitmix64.h"
#include "kernels/support/rng/wyrand.h"
#include "kernels/support/rng/xoshiro256plus.h"

namespace ratchet {
namespace {

// kat_vectors of Random123, threefry4x32 with 20 rounds.
TEST(CounterStream, KnownAnswers) {
  const std::uint32_t zeros[] = {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8};
  for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(counter_word32(0, 0, k), zeros[k]);
  const auto pi = r123::Threefry4x32()({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
                                       {{0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89}});
  const std::uint32_t expected[] = {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(pi[k], expected[k]);
}

// k counts words and fills the low half of the counter, the stream the high half, the seed the key.
TEST(CounterStream, PlacesWordStreamAndSeed) {
  const std::uint64_t k = 0x05a308d3243f6a88, stream = 0x0370734413198a2e;
  const auto block = r123::Threefry4x32()({{0x243f6a88, 0x05a308d3, 0x13198a2e, 0x03707344}},
                                          {{0xa4093822, 0x299f31d0, 0, 0}});
  for (std::uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(counter_word32(0x299f31d0a4093822, stream, 4 * k + i), block[i]);
}

TEST(CounterStream, WideWordsAreLowHalfFirst) {
  EXPECT_EQ(counter_word64(7, 8, 3),
            counter_word32(7, 8, 6) | std::uint64_t{counter_word32(7, 8, 7)} << 32);
}

// The first outputs of the reference code from seed 1234567.
TEST(SplitMix, KnownAnswers) {
  SplitMix64 generator(1234567);
  for (const std::uint64_t expected :
       {6457827717110365317u, 3203168211198807973u, 9817491932198370423u, 4593380528125082431u,
        16408922859458223821u})
    EXPECT_EQ(generator.next64(), expected);
}

TEST(SplitMix, StreamsOfASeederDoNotOverlap) {
  // More words than the lanes of any vector take; of seeds that are near, or differ in high bits.
  std::set<std::uint64_t> words;
  std::size_t drawn = 0;
  for (const std::uint64_t seed : {0x9ul, 0xaul, 0x1'0000'0009ul, 0x8000'0000'0000'0009ul})
    for (std::uint64_t stream = 0; stream < 256; ++stream) {
      SplitMix64 words_of = seeder(seed, stream);
      for (int i = 0; i < 128; ++i, ++drawn) words.insert(words_of.next64());
    }
  EXPECT_EQ(words.size(), drawn);
}

// wyhash final version 4, evaluated in Python.
TEST(Wyrand, KnownAnswers) {
  Wyrand generator(std::uint64_t{42});
  for (const std::uint64_t expected :
       {0xca71d87c76983989u, 0x7e5ba61552085fc6u, 0xcdf101e3bab88b9fu, 0x0a3825ad73267808u})
    EXPECT_EQ(generator.next64(), expected);
}

// The authors' code from the state 1, 2, 3, 4, as in the tests of Rust's rand_xoshiro.
TEST(Xoshiro, KnownAnswers) {
  Xoshiro256Plus generator(1, 2, 3, 4);
  for (const std::uint64_t expected : std::initializer_list<std::uint64_t>{
           5u, 211106232532999u, 211106635186183u, 9223759065350669058u, 9250833439874351877u,
           13862484359527728515u, 2346507365006083650u, 1168864526675804870u, 34095955243042024u,
           3466914240207415127u})
    EXPECT_EQ(generator.next64(), expected);
}

// draft-strombergson-chacha-test-vectors, TC1: all-zero key of 256 bits, 12 rounds.
TEST(ChaCha, KnownAnswers) {
  ChaCha12 zero(std::array<std::uint32_t, 8>{}, 0);
  for (const std::uint32_t bytes :
       {0x9bf49a6au, 0x0755f953u, 0x811fce12u, 0x5f2683d5u, 0x0429c3bbu, 0x49e07414u, 0x7e0089a5u,
        0x2eae155fu, 0x0564f879u, 0xd27ae3c0u, 0x2ce82834u, 0xacfa8c79u, 0x3a629f2cu, 0xa0de6919u,
        0x610be82fu, 0x411326beu})
    EXPECT_EQ(__builtin_bswap32(zero.next32()), bytes);
}

// Across blocks and buffers, with key and stream in use; evaluated in Python from the
// specification.
TEST(ChaCha, BlocksFollowEachOther) {
  ChaCha12 generator(std::array<std::uint32_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}, 0x1122334455667788);
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 96; ++i) words.push_back(generator.next32());
  EXPECT_EQ(words[0], 0xeda62c34u);
  EXPECT_EQ(words[15], 0x4dd5f887u);
  EXPECT_EQ(words[16], 0xc499d3c4u);
  EXPECT_EQ(words[63], 0x1570dc62u);
  EXPECT_EQ(words[64], 0x33064840u);
  EXPECT_EQ(words[79], 0x6b972f66u);
  EXPECT_EQ(words[95], 0xd19c0887u);
}

// 256 GiB into a stream the counter needs its high word. Evaluated in Python likewise.
TEST(ChaCha, TheCounterHas64Bits) {
  ChaCha12 generator(std::array<std::uint32_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}, 0x1122334455667788);
  generator.next32();
  generator.seek(0xfffffffc);
  std::vector<std::uint32_t> words;
  for (int i = 0; i < 128; ++i) words.push_back(generator.next32());
  EXPECT_EQ(words[0], 0x738076d3u);
  EXPECT_EQ(words[63], 0xbb89c5f5u);
  EXPECT_EQ(words[64], 0xdab41c18u);  // block 2^32
  EXPECT_EQ(words[127], 0x3a090ba7u);
  generator.seek(0x500000004);
  EXPECT_EQ(generator.next32(), 0xb6a5cfd9u);
}

/// The words of AesWeyl one by one, low half first.
std::function<std::uint64_t()> halves_of(const AesWeyl& generator) {
  return [g = generator, block = AesWeyl::Block{}, drawn = 0u]() mutable {
    if (drawn % 2 == 0) block = g.next();
    return block[drawn++ % 2];
  };
}

/// The words of a stream under a seed: how the two become a state is part of the definition.
std::function<std::uint64_t()> seeded_generator_of(const std::string& name, std::uint64_t seed,
                                                   std::uint64_t stream) {
  SplitMix64 words = seeder(seed, stream);
  if (name == "splitmix64") return [g = words]() mutable { return g.next64(); };
  if (name == "wyrand") return [g = Wyrand(seed, stream)]() mutable { return g.next64(); };
  if (name == "xoshiro256plus") return [g = Xoshiro256Plus(words)]() mutable { return g.next64(); };
  if (name == "aes_weyl") return halves_of(AesWeyl(words));
  EXPECT_EQ(name, "chacha12");
  return [g = ChaCha12(seed, stream)]() mutable { return std::uint64_t{g.next32()}; };
}

/// The words that follow each other from a state of rng_vectors.tsv, by name of the generator.
std::function<std::uint64_t()> generator_of(const std::string& name,
                                            const std::vector<std::uint64_t>& state) {
  constexpr std::string_view kSeeded = "seeded_";
  if (name.starts_with(kSeeded))
    return seeded_generator_of(name.substr(kSeeded.size()), state.at(0), state.at(1));
  if (name == "splitmix64") return [g = SplitMix64(state.at(0))]() mutable { return g.next64(); };
  if (name == "wyrand") return [g = Wyrand(state.at(0))]() mutable { return g.next64(); };
  if (name == "xoshiro256plus")
    return [g = Xoshiro256Plus(state.at(0), state.at(1), state.at(2), state.at(3))]() mutable {
      return g.next64();
    };
  if (name == "aes_weyl")
    return halves_of(AesWeyl({state.at(0), state.at(1)}, {state.at(2), state.at(3)}));
  if (name == "cross64")
    return [g = Cross64(state.at(0), state.at(1))]() mutable { return std::uint64_t{g.next()}; };
  if (name == "mcg64")
    return [g = Mcg64(state.at(0), state.at(1))]() mutable { return std::uint64_t{g.next()}; };
  EXPECT_EQ(name, "chacha12");
  std::array<std::uint32_t, 8> key;
  std::copy_n(state.begin(), 8, key.begin());
  return [g = ChaCha12(key, state.at(8))]() mutable { return std::uint64_t{g.next32()}; };
}

// Made by a program in another language, from the definitions.
TEST(Generators, GiveTheWordsOfAnotherProgram) {
  std::ifstream file(RATCHET_DATA_DIR "/contract/rng_vectors.tsv");
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("generator")) continue;
    std::istringstream fields(line);
    std::string name, states, word;
    ASSERT_TRUE(fields >> name >> states) << line;
    std::vector<std::uint64_t> state;
    std::istringstream parts(states);
    for (std::string part; std::getline(parts, part, ',');)
      state.push_back(std::stoull(part, nullptr, 16));
    const auto next = generator_of(name, state);
    std::uint64_t drawn = 0;
    for (std::uint64_t index = 0; fields >> index >> word; ++drawn, ++compared) {
      for (; drawn < index; ++drawn) next();
      EXPECT_EQ(next(), std::stoull(word, nullptr, 16)) << index << " of " << line;
    }
  }
  EXPECT_EQ(compared, 112);
}

// Gueron, "Intel Advanced Encryption Standard (AES) New Instructions Set", the AESENC example.
TEST(Aes, OneRoundKnownAnswer) {
  const AesWeyl::Block state{0x63746f725d53475d, 0x7b5b546573745665};
  const AesWeyl::Block key{0x5b477565726f6e5d, 0x4869285368617929};
  const AesWeyl::Block expected{0x8b104b58ded7e595, 0xa8311c2f9fdba3c5};
  EXPECT_EQ(AesWeyl::aes_round(state, key), expected);
}

}  // namespace
}  // namespace ratchet
