#include "correctness/graveler/ring15/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "correctness/graveler/ring15/relations.h"
#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {
namespace {

constexpr unsigned kWords = 2 * kCageWords;  ///< of two rounds

/// A set of the words of two rounds.
struct WordSet {
  std::uint64_t part[2] = {0, 0};
  void flip(unsigned word) { part[word / 64] ^= std::uint64_t{1} << word % 64; }
  bool empty() const { return (part[0] | part[1]) == 0; }
  unsigned last() const {
    return static_cast<unsigned>(part[1] != 0 ? 127 - std::countl_zero(part[1])
                                              : 63 - std::countl_zero(part[0]));
  }
  WordSet& operator^=(const WordSet& other) {
    part[0] ^= other.part[0];
    part[1] ^= other.part[1];
    return *this;
  }
};

/// What is spanned by the differences of some rolls at bit 0.
struct Span {
  std::array<WordSet, kWords> with_last{};  ///< the row with this last word; empty: none
  bool two_rounds = false;

  /// False where it was in the span already.
  bool add(WordSet row) {
    while (!row.empty()) {
      WordSet& known = with_last[row.last()];
      if (known.empty()) {
        known = row;
        return true;
      }
      row ^= known;
    }
    return false;
  }
};

std::vector<Span> spans_at_bit_0(const std::vector<BattleRolls>& battles) {
  std::vector<Span> spans;
  for (const Scope& scope : scopes_of(battles)) {
    Span span;
    for (const RollWord& roll : scope.words) {
      span.two_rounds |= roll.round > 0;
      for (const unsigned which : {0u, 1u}) {
        WordSet difference;
        difference.flip(roll.round * kCageWords + cage_word(roll.outcome, which));
        difference.flip(roll.round * kCageWords + cage_word(roll.outcome, which + 1));
        if (roll.bits & 1) span.add(difference);
      }
    }
    spans.push_back(span);
  }
  return spans;
}

/// Meetings at bit 0 of all scopes. With no rotation twice in a round there are no others: the bit
/// that a rotation brings in is in no other relation of that round's words, and a difference has
/// two.
unsigned meetings_at_bit_0(const RingSchedule& schedule, const std::vector<Span>& spans) {
  std::vector<WordSet> relations;
  std::size_t of_one_round = 0;
  for (unsigned n = kRingWords; n < kWords; ++n) {
    if (schedule.rotation[n % kCageWords] != 0) continue;
    WordSet relation;
    relation.flip(n);
    relation.flip(n - kRingWords);
    relation.flip(static_cast<unsigned>(tapped_word(schedule, static_cast<int>(n))));
    relations.push_back(relation);
    if (n < kCageWords) of_one_round = relations.size();
  }
  unsigned found = 0;
  for (Span span : spans) {
    const std::size_t size = span.two_rounds ? relations.size() : of_one_round;
    for (std::size_t i = 0; i < size; ++i) found += span.add(relations[i]) ? 0 : 1;
  }
  return found;
}

unsigned below(std::mt19937_64& random, unsigned limit) {
  return static_cast<unsigned>(random() % limit);  // modulo: the same on every machine
}

void draw_tap(RingSchedule& schedule, unsigned n, std::mt19937_64& random) {
  const unsigned next = 1 + below(random, kRingWords - 1);
  schedule.tap[n] = static_cast<std::uint8_t>((n + next) % kRingWords);
}

template <class List>
void shuffle(List& list, std::mt19937_64& random) {
  for (unsigned i = static_cast<unsigned>(list.size()); i > 1; --i)
    std::swap(list[i - 1], list[below(random, i)]);
}

RingSchedule draw(std::mt19937_64& random) {
  RingSchedule schedule;
  std::array<std::uint8_t, 31> rotations{};
  std::iota(rotations.begin(), rotations.end(), std::uint8_t{1});
  shuffle(rotations, random);
  std::copy_n(rotations.begin(), Ring15::kRound - kMultiplications, schedule.rotation.begin());
  shuffle(schedule.rotation, random);
  for (unsigned n = 0; n < Ring15::kRound; ++n) draw_tap(schedule, n, random);
  return schedule;
}

unsigned longest_run_of_multiplications(const RingSchedule& schedule) {
  unsigned longest = 0, run = 0;
  for (unsigned n = 0; n < 2 * Ring15::kRound; ++n) {
    run = schedule.rotation[n % Ring15::kRound] == 0 ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// What annealing makes small.
unsigned faults(const RingSchedule& schedule, const std::vector<Span>& spans) {
  const unsigned run = longest_run_of_multiplications(schedule);
  return meetings_at_bit_0(schedule, spans) +
         (run > kMultiplicationsInARow ? run - kMultiplicationsInARow : 0);
}

}  // namespace

bool long_runs_are_free(const RingSchedule& schedule, const std::vector<BattleRolls>& battles,
                        unsigned rounds) {
  return std::all_of(battles.begin(), battles.end(), [&](const BattleRolls& battle) {
    RollWords rolls;
    for (unsigned round = 0; round < rounds; ++round) rolls = rolls + later(battle.words, round);
    return meetings(schedule, rolls).empty();
  });
}

bool battles_are_free_at_all_bits(const RingSchedule& schedule,
                                  const std::vector<BattleRolls>& battles) {
  RingSchedule added_up = schedule;
  added_up.rotation.fill(0);
  return std::all_of(battles.begin(), battles.end(), [&](const BattleRolls& battle) {
    return meetings(added_up, whole_words(battle.words)).empty();
  });
}

Annealed anneal_schedule(const std::vector<BattleRolls>& battles, std::mt19937_64& random) {
  constexpr unsigned kMoves = 30'000;
  const std::vector<Span> spans = spans_at_bit_0(battles);
  RingSchedule schedule = draw(random);
  unsigned now = faults(schedule, spans);
  for (unsigned move = 0; move < kMoves && now > 0; ++move) {
    RingSchedule moved = schedule;
    const unsigned n = below(random, Ring15::kRound);
    if (below(random, 4) == 0)
      std::swap(moved.rotation[n], moved.rotation[below(random, Ring15::kRound)]);
    else
      draw_tap(moved, n, random);
    const unsigned then = faults(moved, spans);
    const double temperature = 0.05 + 0.8 * (1 - static_cast<double>(move) / kMoves);
    const double chance = std::exp((double{1} * now - then) / temperature);
    if (then <= now || below(random, 1 << 20) < chance * (1 << 20)) {
      schedule = moved;
      now = then;
    }
  }
  return {schedule, now};
}

}  // namespace ratchet::graveler
