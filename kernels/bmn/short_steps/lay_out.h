// Puts a deal into the memory of short_steps.h, up to the opening of its first trick.
#pragma once

#include "kernels/bmn/lean_links/lay_out.h"
#include "kernels/bmn/short_steps/short_steps.h"

namespace ratchet::bmn::short_steps {

/// A deal laid out.
struct Hands {
  Word front[2];
  Word tails;  ///< of player 0, and << 16 of player 1
};

/// Where the highest one of `x` stands; of 0 anything.
RATCHET_HD inline unsigned place_of_highest(std::uint32_t x) {
#if defined(__CUDA_ARCH__)
  unsigned at;
  asm("bfind.u32 %0, %1;" : "=r"(at) : "r"(x));
  return at;
#else
  return 31 - lean_links::zeros_of(x);
#endif
}
/// high:low shifted right by `by` below 32, the low word.
RATCHET_HD inline std::uint32_t shifted_right(std::uint32_t low, std::uint32_t high, unsigned by) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, by);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> (by & 31));
#endif
}

/// A whole deal without a wide gap (lean_links::has_wide_gap()), `kCards` a hand and `kOf` courts,
/// into the last of the 16 nodes from address `node` on.
template <unsigned kCards, unsigned kOf, class Memory>
RATCHET_HD inline Hands hands_of(const Shuffle& cards, Word node, Word end, const Memory& memory) {
  std::uint32_t high = lean_links::reversed(cards.courts[0] | cards.courts[1] << kCards);
  std::uint32_t low = lean_links::reversed(cards.courts[1] >> (32 - kCards));
  const Word first = node + (kCourts - kOf) * kRow;
  const Word last = node + (kCourts - 1) * kRow;
  // The highest one of `high` is the next court: 31 less its place is the cards before it.
  const Word base = (first & kRows) + lean_links::kOne + 32 * kCard + 1;
  std::uint32_t rank[4];  // of court 4 * byte + i
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (unsigned i = 0; i < 4; ++i) rank[i] = cards.ranks >> 2 * i & 0x03030303;
  Word front = 0;
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (unsigned i = 0; i < kOf; ++i) {
    const unsigned at = place_of_highest(high);
    // By 32 - at to the left, which takes the court off.
    high = shifted_right(low, high, at);
    low = shifted_right(0, low, at);
    const Word word = lean_links::dot(rank[i % 4], 1u << 8 * (i / 4), base - at * kCard) + i * kRow;
    if (i == 0)
      front = word;
    else
      memory.store(first + (i - 1) * kRow, word);
  }
  const Word behind = lean_links::zeros_of(cards.courts[0]) - (32 - kCards);
  const Word left = cards.courts[1] == 0 ? behind + kCards
                                         : lean_links::zeros_of(cards.courts[1]) - (32 - kCards);
  memory.store(last, end + left * kCard);
  const Word tail = first + (ones_of(cards.courts[0]) - 1) * kRow;  // void without a court
  Hands hands{{front, 0}, tail_of(tail, behind) | tail_of(last, left) << 16};
  if (cards.courts[0] != 0) {
    hands.front[1] = memory.load(tail) - behind * kCard;
    memory.store(tail, end + behind * kCard);
  } else {
    hands.front[0] = end + behind * kCard;
    hands.front[1] = front - behind * kCard;
  }
  return hands;
}

/// Any deal, likewise. Fewer than 16 courts take the last nodes.
template <class Memory>
RATCHET_HD inline Hands hands_of(const Deal& deal, Word node, Word end, const Memory& memory) {
  const lean_links::Hands hands = lean_links::lay_out(deal, node, end, memory);
  const Word last = node + (kCourts - 1) * kRow;
  const auto behind = [&](Word tail) {
    return (memory.load(tail) - end) >> lean_links::kCardShift & 0x3f;  // void: anything
  };
  return {{hands.front[0], hands.front[1]},
          tail_of(hands.tail, behind(hands.tail)) | tail_of(last, behind(last)) << 16};
}

/// A deal whose first trick is opened, but for what is to be loaded.
struct Begun {
  Word payer, opening, slot, tails;
};
/// Neither hand may be empty: it is not if its front is not `end`. `slot`: the tail of player 0,
/// who leads; a whole word.
RATCHET_HD inline Begun begun(const Hands& hands, Word slot) {
  const Word opening = opening_of(hands.front[0], hands.front[1]);
  return {hands.front[0] + hands.front[1] - opening, opening,
          (opening & kCard) != 0 ? slot + kHalf : slot, hands.tails};
}
/// The row below that of `slot` is that of `end`, which holds 0 while a game is played.
template <class Memory>
RATCHET_HD inline void start(Play& play, const Begun& begun, Word slot, const Memory& memory) {
  memory.store(slot, begun.tails);
  memory.clear_next_row(slot);
  play.payer = begun.payer;
  play.opening = play.last = begun.opening;
  play.other = memory.load(address_of(begun.opening, memory.column));
  play.slot = begun.slot;
  play.length = 0;
}

}  // namespace ratchet::bmn::short_steps
