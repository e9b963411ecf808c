// How three words make a roll, and why sharing words costs no independence.
//
// A word of rolls takes two random bits per turn. Instead of two words of its own, outcome y takes
// three words a, b, c of a pool and is 1 where all three agree:
//     y = ~(a ^ b) & ~(b ^ c)             one LOP3, probability 1/4
// so only differences of words ever show. Each word serves two outcomes: outcomes are the vertices
// of a cubic graph and words its edges. Given independent words, some outcomes can only depend on
// each other if words between them cancel, that is along a cycle of the graph: fewer outcomes than
// its girth are exactly independent. The Tutte-Coxeter graph, the (3,8)-cage, has 30 vertices, 45
// edges and girth 8: 45 words make 30 outcome words (60 would be needed without sharing), and any 7
// of them are independent.
//
// The outcomes stand in an order that keeps few words alive: an outcome comes as soon as its last
// word does, at most 17 words are alive at once, and 15 of those are the state of ring15 anyway.
#pragma once

#include <cstdint>

#include "kernels/support/counter_stream.h"

namespace ratchet::graveler {

inline constexpr unsigned kCageWords = 45;
inline constexpr unsigned kCageOutcomes = 30;
inline constexpr unsigned kCageGirth = 8;

/// The words (edges) of each outcome (vertex), sorted by the outcome's last word.
RATCHET_HD constexpr unsigned cage_word(unsigned outcome, unsigned which) {
  constexpr unsigned char words[kCageOutcomes][3] = {
      {0, 1, 2},    {3, 4, 5},    {0, 6, 7},    {8, 9, 10},   {4, 11, 12},  {6, 13, 14},
      {2, 15, 16},  {3, 10, 17},  {1, 18, 19},  {7, 20, 21},  {8, 15, 22},  {12, 23, 24},
      {11, 14, 25}, {9, 26, 27},  {5, 18, 28},  {13, 26, 29}, {16, 23, 30}, {17, 20, 31},
      {19, 32, 33}, {21, 34, 35}, {22, 36, 37}, {24, 35, 38}, {30, 39, 40}, {27, 32, 38},
      {25, 37, 41}, {31, 40, 42}, {29, 39, 43}, {33, 41, 42}, {34, 36, 44}, {28, 43, 44}};
  return words[outcome][which];
}

/// 1 where the three words agree.
RATCHET_HD inline std::uint32_t all_equal(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
#if defined(__CUDA_ARCH__)
  std::uint32_t y;  // spelled out: the compiler now and then makes two LOP3 of the expression below
  asm("lop3.b32 %0, %1, %2, %3, 0x81;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
  return y;
#else
  return ~(a ^ b) & ~(b ^ c);
#endif
}

/// Draws the 45 words of a round from `words` and hands each outcome word to `use.operator()<Y>(y)`
/// as soon as it is there, Y = 0..29 in order.
template <unsigned Y = 0, unsigned N = 0, class Words, class Use>
RATCHET_HD inline void cage_round(Words& words, std::uint32_t (&pool)[kCageWords], Use& use) {
  if constexpr (Y < kCageOutcomes) {
    constexpr unsigned a = cage_word(Y, 0), b = cage_word(Y, 1), c = cage_word(Y, 2);
    if constexpr (N <= c) {
      pool[N] = words.template step<N>();
      cage_round<Y, N + 1>(words, pool, use);
    } else {
      use.template operator()<Y>(all_equal(pool[a], pool[b], pool[c]));
      cage_round<Y + 1, N>(words, pool, use);
    }
  }
}

}  // namespace ratchet::graveler
