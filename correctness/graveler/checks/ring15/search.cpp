#include "correctness/graveler/checks/ring15/search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numeric>

#include "correctness/graveler/checks/ring15/relations.h"
#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {
namespace {

constexpr unsigned kWords = 2 * kCageWords;  ///< of two rounds

/// A set of the words of two rounds.
struct WordSet {
  std::uint64_t part[2] = {0, 0};
  void flip(unsigned word) { part[word / 64] ^= std::uint64_t{1} << word % 64; }
  bool holds(unsigned word) const { return (part[word / 64] >> word % 64 & 1) != 0; }
  auto operator<=>(const WordSet&) const = default;
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

  /// What is left of `row` when rows of the span are taken off, always the same.
  WordSet residue(WordSet row) const {
    for (unsigned word = kWords; word-- > 0;)
      if (row.holds(word) && !with_last[word].empty()) row ^= with_last[word];
    return row;
  }
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

/// Of what must show no relation.
struct Spans {
  std::vector<Span> at_bit_0;     ///< of every scope, and of the words of every battle
  std::vector<Span> at_all_bits;  ///< of the whole words of every battle
  std::vector<std::array<bool, kCageWords>> words;  ///< that a battle is made of
};

/// Every word that a battle is made of, by itself, in two rounds. Rolls show differences only; but
/// nobody should have to know that to judge the words.
Span words_of(const BattleRolls& battle) {
  Span span;
  span.two_rounds = true;
  for (const RollWord& roll : whole_words(battle.words))
    for (const unsigned round : {0u, 1u})
      for (const unsigned which : {0u, 1u, 2u}) {
        WordSet word;
        word.flip(round * kCageWords + cage_word(roll.outcome, which));
        span.add(word);
      }
  return span;
}

Span span_of(const RollWords& rolls) {
  Span span;
  for (const RollWord& roll : rolls) {
    span.two_rounds |= roll.round > 0;
    for (const unsigned which : {0u, 1u}) {
      WordSet difference;
      difference.flip(roll.round * kCageWords + cage_word(roll.outcome, which));
      difference.flip(roll.round * kCageWords + cage_word(roll.outcome, which + 1));
      if (roll.bits & 1) span.add(difference);
    }
  }
  return span;
}

Spans spans_of(const std::vector<BattleRolls>& battles) {
  Spans spans;
  for (const Scope& scope : scopes_of(battles)) spans.at_bit_0.push_back(span_of(scope.words));
  for (const BattleRolls& battle : battles) {
    const RollWords whole = whole_words(battle.words);
    spans.at_bit_0.push_back(words_of(battle));
    spans.at_all_bits.push_back(span_of(whole));
    std::array<bool, kCageWords> words{};
    for (const RollWord& roll : whole)
      for (const unsigned which : {0u, 1u, 2u}) words[cage_word(roll.outcome, which)] = true;
    spans.words.push_back(words);
  }
  return spans;
}

/// The words of the relation of step `n`, whatever their bits.
WordSet words_of_step(const RingSchedule& schedule, unsigned n) {
  WordSet words;
  words.flip(n);
  words.flip(n - kRingWords);
  words.flip(static_cast<unsigned>(tapped_word(schedule, static_cast<int>(n))));
  return words;
}

/// Meetings were all steps linear at all bits: see battles_are_free_at_all_bits().
unsigned meetings_at_all_bits(const RingSchedule& schedule, const std::vector<Span>& spans) {
  unsigned found = 0;
  for (Span span : spans)
    for (unsigned n = kRingWords; n < kCageWords; ++n)
      found += span.add(words_of_step(schedule, n)) ? 0 : 1;
  return found;
}

/// Steps of which a battle's words hold all three: a relation of 32 bits, carries and all.
unsigned whole_steps(const RingSchedule& schedule, const Spans& spans) {
  unsigned found = 0;
  for (const auto& words : spans.words)
    for (unsigned n = kCageWords; n < kWords; ++n) {
      const auto tap = static_cast<unsigned>(tapped_word(schedule, static_cast<int>(n)));
      found +=
          words[n % kCageWords] && words[(n - kRingWords) % kCageWords] && words[tap % kCageWords]
              ? 1
              : 0;
    }
  return found;
}

/// Meetings at bit 0 of all scopes. With no rotation twice in a round there are no others. The bit
/// that a rotation brings in is in no other relation of that round's words, and a difference has
/// two such bits.
unsigned meetings_at_bit_0(const RingSchedule& schedule, const std::vector<Span>& spans) {
  std::vector<WordSet> relations;
  std::size_t of_one_round = 0;
  for (unsigned n = kRingWords; n < kWords; ++n) {
    if (schedule.rotation[n % kCageWords] != 0) continue;
    relations.push_back(words_of_step(schedule, n));
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

/// The schedule with another tap at a step, or with two steps' rotations exchanged.
RingSchedule moved_a_step(RingSchedule schedule, std::mt19937_64& random) {
  const unsigned n = below(random, Ring15::kRound);
  if (below(random, 4) == 0)
    std::swap(schedule.rotation[n], schedule.rotation[below(random, Ring15::kRound)]);
  else
    draw_tap(schedule, n, random);
  return schedule;
}

/// Whether annealing goes from `now` faults to `then`.
bool is_taken(unsigned now, unsigned then, double temperature, std::mt19937_64& random) {
  const double chance = std::exp((double{1} * now - then) / temperature);
  return then <= now || below(random, 1 << 20) < chance * (1 << 20);
}

template <class List>
void shuffle(List& list, std::mt19937_64& random) {
  for (unsigned i = static_cast<unsigned>(list.size()); i > 1; --i)
    std::swap(list[i - 1], list[below(random, i)]);
}

RingSchedule draw(std::mt19937_64& random, const SearchGoal& goal) {
  RingSchedule schedule;
  std::array<std::uint8_t, 31> rotations{};
  std::iota(rotations.begin(), rotations.end(), std::uint8_t{1});
  shuffle(rotations, random);
  std::copy_n(rotations.begin(), Ring15::kRound - goal.multiplications, schedule.rotation.begin());
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

/// A sum of differences of one or two rolls, without what relations make of it.
struct ShownSum {
  WordSet residue;
  std::array<unsigned, 2> rolls;
};

bool shows_nothing(const std::vector<ShownSum>& sums) {
  return std::any_of(sums.begin(), sums.end(),
                     [](const ShownSum& sum) { return sum.residue.empty(); });
}

/// Whether a sum of each, of different rolls, differ by relations only.
bool have_alike(const std::vector<ShownSum>& some, const std::vector<ShownSum>& others) {
  std::multimap<WordSet, std::array<unsigned, 2>> known;
  for (const ShownSum& sum : others) known.emplace(sum.residue, sum.rolls);
  return std::any_of(some.begin(), some.end(), [&known](const ShownSum& sum) {
    const auto [first, last] = known.equal_range(sum.residue);
    return std::any_of(first, last, [&sum](const auto& entry) {
      const auto& [a, b] = entry.second;
      return a != sum.rolls[0] && a != sum.rolls[1] && b != sum.rolls[0] && b != sum.rolls[1];
    });
  });
}

/// Of every roll of two rounds, at bit 0.
std::vector<ShownSum> sums_of_one_roll(const RingSchedule& schedule) {
  Span relations;
  for (unsigned n = kRingWords; n < kWords; ++n)
    if (schedule.rotation[n % kCageWords] == 0) relations.add(words_of_step(schedule, n));
  std::vector<ShownSum> one;
  for (unsigned roll = 0; roll < 2 * kCageOutcomes; ++roll)
    for (const unsigned left_out : {0u, 1u, 2u}) {
      WordSet difference;
      for (const unsigned which : {0u, 1u, 2u})
        if (which != left_out)
          difference.flip(roll / kCageOutcomes * kCageWords +
                          cage_word(roll % kCageOutcomes, which));
      one.push_back({relations.residue(difference), {roll, roll}});
    }
  return one;
}

std::vector<ShownSum> sums_of_two_rolls(const std::vector<ShownSum>& one) {
  std::vector<ShownSum> two;
  for (std::size_t i = 0; i < one.size(); ++i)
    for (std::size_t j = i + 1; j < one.size(); ++j) {
      ShownSum sum{one[i].residue, {one[i].rolls[0], one[j].rolls[0]}};
      sum.residue ^= one[j].residue;
      if (sum.rolls[0] != sum.rolls[1]) two.push_back(sum);
    }
  return two;
}

/// Sums of two rolls that relations turn into one of a third, or into nothing.
unsigned dependent_threes(const RingSchedule& schedule) {
  const std::vector<ShownSum> one = sums_of_one_roll(schedule);
  std::map<WordSet, std::vector<unsigned>> known;
  for (const ShownSum& sum : one) known[sum.residue].push_back(sum.rolls[0]);
  unsigned found = 0;
  for (const ShownSum& sum : sums_of_two_rolls(one)) {
    found += sum.residue.empty() ? 1 : 0;
    if (const auto third = known.find(sum.residue); third != known.end())
      found += static_cast<unsigned>(std::count_if(
          third->second.begin(), third->second.end(),
          [&sum](unsigned roll) { return roll != sum.rolls[0] && roll != sum.rolls[1]; }));
  }
  return found;
}

unsigned faults(const RingSchedule& schedule, const Spans& spans, const SearchGoal& goal) {
  const unsigned run = longest_run_of_multiplications(schedule);
  return meetings_at_bit_0(schedule, spans.at_bit_0) +
         meetings_at_all_bits(schedule, spans.at_all_bits) + whole_steps(schedule, spans) +
         (run > goal.in_a_row ? run - goal.in_a_row : 0);
}

}  // namespace

unsigned fewest_dependent_rolls(const RingSchedule& schedule) {
  const std::vector<ShownSum> one = sums_of_one_roll(schedule), two = sums_of_two_rolls(one);
  if (shows_nothing(one)) return 1;
  if (shows_nothing(two) || have_alike(one, one)) return 2;
  return have_alike(one, two) ? 3 : 4;
}

bool is_free(const RingSchedule& schedule, const std::vector<BattleRolls>& shared,
             const std::vector<BattleRolls>& tensor) {
  if (fewest_dependent_rolls(schedule) < 4) return false;
  for (const auto* battles : {&shared, &tensor}) {
    if (!battles_are_free_at_all_bits(schedule, *battles) ||
        !long_runs_are_free(schedule, *battles, kLongRun))
      return false;
    for (const Scope& scope : scopes_of(*battles))
      if (!meetings(schedule, scope.words).empty()) return false;
  }
  return true;
}

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

unsigned faults_of(const RingSchedule& schedule, const std::vector<BattleRolls>& battles,
                   const SearchGoal& goal) {
  return faults(schedule, spans_of(battles), goal);
}

Annealed anneal_schedule(const std::vector<BattleRolls>& battles, std::mt19937_64& random,
                         const SearchGoal& goal) {
  constexpr unsigned kMoves = 30'000;
  const Spans spans = spans_of(battles);
  RingSchedule schedule = draw(random, goal);
  unsigned now = faults(schedule, spans, goal);
  for (unsigned move = 0; move < kMoves && now > 0; ++move) {
    const RingSchedule moved = moved_a_step(schedule, random);
    const unsigned then = faults(moved, spans, goal);
    const double temperature = 0.05 + 0.8 * (1 - static_cast<double>(move) / kMoves);
    if (is_taken(now, then, temperature, random)) {
      schedule = moved;
      now = then;
    }
  }
  return {schedule, now};
}

RingSchedule part_three_rolls(RingSchedule schedule, const std::vector<BattleRolls>& battles,
                              std::mt19937_64& random, const SearchGoal& goal) {
  constexpr unsigned kMoves = 3'000;
  const Spans spans = spans_of(battles);
  unsigned now = dependent_threes(schedule);
  for (unsigned move = 0; move < kMoves && now > 0; ++move) {
    const RingSchedule moved = moved_a_step(schedule, random);
    if (faults(moved, spans, goal) > 0) continue;
    const unsigned then = dependent_threes(moved);
    const double temperature = 0.1 + 1.5 * (1 - static_cast<double>(move) / kMoves);
    if (is_taken(now, then, temperature, random)) {
      schedule = moved;
      now = then;
    }
  }
  return schedule;
}

}  // namespace ratchet::graveler
