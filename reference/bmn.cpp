#include "reference/bmn.h"

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>
#include <utility>

namespace ratchet::reference::bmn {
namespace {

constexpr std::string_view kSymbols = "-JQKA";

std::uint64_t choose(unsigned n, unsigned k) {
  std::uint64_t result = 1;
  for (unsigned i = 0; i < k; ++i) result = result * (n - i) / (i + 1);
  return k > n ? 0 : result;
}

/// The `index`-th number of `bits` bits with `ones` ones, in increasing order.
std::uint32_t pattern(unsigned bits, unsigned ones, std::uint64_t index) {
  for (std::uint32_t number = 0; number < (1u << bits); ++number)
    if (std::popcount(number) == static_cast<int>(ones) && index-- == 0) return number;
  throw std::logic_error("no such pattern");
}

/// How many courts each quarter gets, by the word's share of all C(52, 16).
std::array<unsigned, 4> composition(std::uint32_t word) {
  const Wide all = choose(52, 16);
  Wide sum = 0;
  for (unsigned a = 0; a <= 13; ++a)
    for (unsigned b = 0; b <= 13; ++b)
      for (unsigned c = 0; c <= 13; ++c) {
        if (a + b + c > 16 || a + b + c < 3) continue;
        const unsigned d = 16 - a - b - c;
        sum += Wide{choose(13, a)} * choose(13, b) * choose(13, c) * choose(13, d);
        if (word < (sum << 32) / all) return {a, b, c, d};
      }
  throw std::logic_error("the shares add up to one");
}

/// Takes the most significant digit below `radix` off a fraction of 96 bits.
std::uint32_t digit(std::array<std::uint32_t, 3>& fraction, std::uint32_t radix) {
  std::uint64_t carry = 0;
  for (int i = 2; i >= 0; --i) {
    const std::uint64_t product = std::uint64_t{fraction[i]} * radix + carry;
    fraction[i] = static_cast<std::uint32_t>(product);
    carry = product >> 32;
  }
  return static_cast<std::uint32_t>(carry);
}

/// All states from `state` on are seen: takes the first that comes again.
Fate find_cycle(State state) {
  using Key = std::pair<unsigned, std::array<Hand, 2>>;
  std::map<Key, std::pair<std::uint64_t, std::uint64_t>> seen;
  Fate fate;
  while (!state.over()) {
    const auto [first, fresh] =
        seen.try_emplace(Key{state.leader, state.hand}, state.turns, state.tricks);
    if (!fresh) {
      fate.endless = true;
      std::tie(fate.transient_turns, fate.transient_tricks) = first->second;
      fate.period_turns = state.turns - fate.transient_turns;
      fate.period_tricks = state.tricks - fate.transient_tricks;
      return fate;
    }
    play_trick(state);
  }
  fate.turns = state.turns;
  fate.tricks = state.tricks;
  fate.winner = state.hand[0].empty() ? 1 : 0;
  return fate;
}

/// Arrangements of the counted cards: a multinomial coefficient.
Wide arrangements(const std::vector<unsigned>& count) {
  Wide result = 1;
  unsigned cards = 0;
  for (const unsigned of_symbol : count)
    for (unsigned i = 1; i <= of_symbol; ++i) result = result * ++cards / i;
  return result;
}

}  // namespace

Hand hand_of(std::string_view text) {
  Hand hand;
  for (const char symbol : text) {
    std::size_t card = kSymbols.find(symbol);
    if (symbol >= '0' && symbol <= '4') card = static_cast<std::size_t>(symbol - '0');
    if (card == kSymbols.npos)
      throw std::invalid_argument(std::string("'") + symbol +
                                  "' is not a card; cards are - J Q K A");
    hand.push_back(static_cast<Card>(card));
  }
  return hand;
}

std::string text_of(const Hand& hand) {
  std::string text;
  for (const Card card : hand) text += kSymbols.at(card);
  return text;
}

void play_trick(State& state) {
  Hand pile;
  unsigned player = state.leader;
  unsigned owed = 0;  // cards still to be paid; 0 while no court card lies
  while (!state.hand[player].empty()) {
    Hand& hand = state.hand[player];
    const Card card = hand.front();
    hand.erase(hand.begin());
    pile.push_back(card);
    ++state.turns;
    if (card > 0) {
      owed = card;
      player = 1 - player;
    } else if (owed == 0) {
      player = 1 - player;
    } else if (--owed == 0) {
      break;
    }
  }
  state.leader = 1 - player;
  Hand& winner = state.hand[state.leader];
  winner.insert(winner.end(), pile.begin(), pile.end());
  ++state.tricks;
}

Outcome play(Hand first, Hand second, std::uint64_t cap) {
  State state{{std::move(first), std::move(second)}};
  while (!state.over() && state.turns <= cap) play_trick(state);
  if (state.turns > cap) return {};
  return {static_cast<std::uint32_t>(state.turns), static_cast<std::uint32_t>(state.tricks),
          state.hand[0].empty() ? 1u : 0u};
}

Fate fate(Hand first, Hand second) {
  return find_cycle(State{{std::move(first), std::move(second)}});
}

std::array<Hand, 2> shuffled(const std::array<std::uint32_t, 4>& w) {
  std::array<std::uint32_t, 3> fraction = {w[1], w[2], w[3]};
  const auto courts = composition(w[0]);
  Hand deal(52, 0);
  std::vector<unsigned> place;
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    const auto index =
        digit(fraction, static_cast<std::uint32_t>(choose(13, courts[quarter])));
    const std::uint32_t places = pattern(13, courts[quarter], index);
    for (unsigned i = 0; i < 13; ++i)
      if (places >> i & 1) place.push_back(13 * quarter + i);
  }
  const std::uint32_t high = pattern(16, 8, digit(fraction, 12870));
  std::uint32_t ace = pattern(8, 4, digit(fraction, 70));
  std::uint32_t queen = pattern(8, 4, digit(fraction, 70));
  for (unsigned court = 0; court < 16; ++court) {
    std::uint32_t& low = high >> court & 1 ? ace : queen;
    deal[place[court]] = static_cast<Card>(1 + 2 * (high >> court & 1) + (low & 1));
    low >>= 1;
  }
  return {Hand(deal.begin(), deal.begin() + 26), Hand(deal.begin() + 26, deal.end())};
}

Wide rank_of(const Hand& deal, std::string_view order) {
  std::vector<unsigned> left(order.size());
  const auto symbol_of = [&](Card card) { return order.find(kSymbols.at(card)); };
  for (const Card card : deal) ++left.at(symbol_of(card));
  Wide rank = 0;
  for (const Card card : deal) {
    const std::size_t symbol = symbol_of(card);
    for (std::size_t smaller = 0; smaller < symbol; ++smaller) {
      if (left[smaller] == 0) continue;
      --left[smaller];
      rank += arrangements(left);
      ++left[smaller];
    }
    --left[symbol];
  }
  return rank;
}

Hand unrank(Wide rank, const std::vector<unsigned>& count, std::string_view order) {
  std::vector<unsigned> left = count;
  unsigned cards = 0;
  for (const unsigned of_symbol : count) cards += of_symbol;
  Hand deal;
  while (deal.size() < cards)
    for (std::size_t symbol = 0; symbol < left.size(); ++symbol) {
      if (left[symbol] == 0) continue;
      --left[symbol];
      const Wide below = arrangements(left);
      if (rank < below) {
        deal.push_back(static_cast<Card>(kSymbols.find(order[symbol])));
        break;
      }
      rank -= below;
      ++left[symbol];
    }
  return deal;
}

}  // namespace ratchet::reference::bmn
