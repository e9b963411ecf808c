#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "correctness/graveler/checks/checks.h"
#include "kernels/support/counter_stream.h"
#include "reference/graveler.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;

namespace definition = reference::graveler;

/// The words of one round of one group, and the reference's reading of them.
class Replay {
 public:
  Replay(const Layout& layout, const std::vector<Site>& sites, std::uint64_t seed,
         std::uint32_t group, std::uint32_t round)
      : layout_(layout), sites_(sites), words_(std::size_t{layout.lanes} * layout.words) {
    for (std::uint32_t lane = 0; lane < layout.lanes; ++lane)
      for (std::uint32_t word = 0; word < layout.words; ++word) {
        const std::uint64_t stream = std::uint64_t{group} * layout.lanes + lane;
        const std::uint64_t index = std::uint64_t{round} * layout.words + word;
        words_[std::size_t{lane} * layout.words + word] = layout.word_bits == 32
                                                              ? counter_word32(seed, stream, index)
                                                              : counter_word64(seed, stream, index);
      }
  }

  bool hit(std::uint32_t battle, std::uint32_t turn) const {
    return definition::replay_roll(turn, bits_of(), words(battle)) == layout_.hit;
  }
  unsigned ones(std::uint32_t battle) const {
    return definition::replay_ones(bits_of(), words(battle), layout_.hit);
  }

 private:
  // The reference sees the two bits of turn t, masked where the layout masks them, as words 2t, 2t
  // + 1.
  static definition::TurnBitsOf bits_of() {
    return [](unsigned turn) {
      return definition::TurnBits{
          .generator = 0, .word_a = 2 * turn, .bit_a = 0, .word_b = 2 * turn + 1, .bit_b = 0};
    };
  }
  definition::WordOf words(std::uint32_t battle) const {
    return [this, battle](std::uint32_t, std::uint32_t word) -> std::uint64_t {
      const Site& site = sites_[std::size_t{battle} * kTurns + word / 2];
      const std::uint64_t own = word % 2 == 0 ? bit(site.lane, site.word_a, site.bit_a)
                                              : bit(site.lane, site.word_b, site.bit_b);
      return site.word_m == Site::kNoWord ? own : own ^ bit(site.lane, site.word_m, site.bit_m);
    };
  }
  std::uint64_t bit(std::uint32_t lane, std::uint32_t word, std::uint32_t index) const {
    return words_.at(std::size_t{lane} * layout_.words + word) >> index & 1;
  }

  const Layout& layout_;
  const std::vector<Site>& sites_;
  std::vector<std::uint64_t> words_;
};

/// All sites of a round, for asking the layout for each of millions of rolls takes minutes.
std::vector<Site> sites_of(const Layout& layout) {
  std::vector<Site> sites;
  for (std::uint32_t battle = 0; battle < layout.battles; ++battle)
    for (std::uint32_t turn = 0; turn < kTurns; ++turn) sites.push_back(layout.site(battle, turn));
  return sites;
}

/// For each battle of a round, a column of hits per turn and one per outcome bit in use.
struct Columns {
  std::vector<std::vector<bool>> turns, bits;
};

struct Mismatches {
  std::uint64_t compared = 0, ones = 0, popcount = 0;
  std::string first;
};

void note(Mismatches& mismatches, std::uint32_t group, std::uint32_t round, std::uint32_t battle,
          unsigned expected, unsigned seen) {
  if (mismatches.ones++ == 0)
    mismatches.first = fmt::format("(group {} round {} battle {}: {} ones, the reference has {})",
                                   group, round, battle, seen, expected);
}

bool shape_matches(const Trace& trace, const Layout& layout, std::uint32_t max_groups,
                   std::uint32_t rounds) {
  // A device plays whole blocks.
  const std::uint32_t most_groups = std::max(max_groups, trace.groups_per_block);
  const std::size_t entries = std::size_t{trace.groups} * trace.rounds * trace.battles_per_round;
  return trace.groups > 0 && trace.groups <= most_groups && trace.groups_per_block > 0 &&
         trace.rounds == rounds && trace.battles_per_round == layout.battles &&
         trace.ones.size() == entries && trace.outcome.size() == entries * trace.words_per_battle;
}

unsigned population(const Trace& trace, std::size_t entry) {
  unsigned sum = 0;
  for (std::uint32_t w = 0; w < trace.words_per_battle; ++w)
    sum += static_cast<unsigned>(std::popcount(trace.outcome[entry * trace.words_per_battle + w]));
  return sum;
}

void add_row(Columns& columns, const Replay& replay, std::uint32_t battle,
             const std::vector<std::uint16_t>& used, const std::uint32_t* outcome) {
  for (std::uint32_t turn = 0; turn < kTurns; ++turn)
    columns.turns[turn].push_back(replay.hit(battle, turn));
  for (std::size_t i = 0; i < used.size(); ++i)
    columns.bits[i].push_back(outcome[used[i] / 32] >> (used[i] % 32) & 1);
}

/// At least three rounds, and 256 battles of each place: a turn without a one in all of them has
/// probability 1e-32.
std::uint32_t rounds_for(std::uint32_t groups) {
  return std::max<std::uint32_t>(3, 256 / groups + 1);
}

/// Of the rounds that make the columns, all groups are compared; after them, where nothing but the
/// words' numbers is new, the first and another one each.
bool compared(const Trace& trace, std::uint32_t group, std::uint32_t round) {
  return round < rounds_for(trace.groups) || group == 0 || group == round % trace.groups;
}

/// Compares the counts and collects the columns of every battle of a round.
Mismatches compare(const Trace& trace, const Layout& layout, std::uint64_t seed,
                   const std::vector<std::vector<std::uint16_t>>& used,
                   std::vector<Columns>& columns) {
  Mismatches mismatches;
  const std::vector<Site> sites = sites_of(layout);
  for (std::uint32_t group = 0; group < trace.groups; ++group)
    for (std::uint32_t round = 0; round < trace.rounds; ++round) {
      if (!compared(trace, group, round)) continue;
      const Replay replay(layout, sites, seed, group, round);
      for (std::uint32_t battle = 0; battle < layout.battles; ++battle) {
        const std::size_t entry =
            (std::size_t{group} * trace.rounds + round) * layout.battles + battle;
        add_row(columns[battle], replay, battle, used[battle],
                &trace.outcome[entry * trace.words_per_battle]);
        const unsigned expected = replay.ones(battle);
        ++mismatches.compared;
        if (trace.ones[entry] != expected)
          note(mismatches, group, round, battle, expected, trace.ones[entry]);
        mismatches.popcount += population(trace, entry) != trace.ones[entry];
      }
    }
  return mismatches;
}

/// Whether every turn's column of hits is the column of exactly one outcome bit.
bool one_to_one(std::vector<Columns>& columns) {
  return std::all_of(columns.begin(), columns.end(), [](Columns& battle) {
    std::sort(battle.turns.begin(), battle.turns.end());
    std::sort(battle.bits.begin(), battle.bits.end());
    return battle.turns == battle.bits;
  });
}

Trace counter_trace(const GravelerStage& stage, std::uint64_t seed, std::uint32_t max_groups,
                    std::uint32_t rounds) {
  const Parameters parameters = trace_parameters(stage, seed, max_groups);
  return stage.trace(parameters, Stream::counter, max_groups, rounds);
}

correctness::TestResult bits_in_use(const std::vector<std::vector<std::uint16_t>>& used) {
  std::string counts;
  bool complete = true;
  for (const auto& bits : used) {
    complete = complete && bits.size() == kTurns;
    counts += fmt::format("{} ", bits.size());
  }
  return exact("outcome bits in use", complete, counts + "in use, 231 in each battle expected");
}

}  // namespace

std::vector<std::vector<std::uint16_t>> used_bits(const Trace& trace) {
  std::vector<std::vector<std::uint16_t>> used(trace.battles_per_round);
  std::vector<std::uint32_t> mask(std::size_t{trace.battles_per_round} * trace.words_per_battle);
  for (std::size_t i = 0; i < trace.outcome.size(); ++i) mask[i % mask.size()] |= trace.outcome[i];
  const std::uint32_t bits = 32 * trace.words_per_battle;
  for (std::uint32_t battle = 0; battle < trace.battles_per_round; ++battle)
    for (std::uint32_t bit = 0; bit < bits; ++bit)
      if (mask[std::size_t{battle} * trace.words_per_battle + bit / 32] >> (bit % 32) & 1)
        used[battle].push_back(static_cast<std::uint16_t>(bit));
  return used;
}

TestResults check_replay(const GravelerStage& stage, std::uint64_t seed, std::uint32_t max_groups,
                         std::uint32_t least_rounds) {
  const Layout layout = stage.layout();
  // Only the stage knows how many groups it can show: one, or a whole block of them.
  const std::uint32_t groups = counter_trace(stage, seed, max_groups, 1).groups;
  const std::uint32_t rounds = std::max(least_rounds, rounds_for(std::max(1u, groups)));
  const Trace trace = counter_trace(stage, seed, max_groups, rounds);
  TestResults tests{
      exact("trace shape", shape_matches(trace, layout, max_groups, rounds),
            fmt::format("{} groups of {} rounds of {} battles, {} entries", trace.groups,
                        trace.rounds, trace.battles_per_round, trace.ones.size()))};
  if (any_rejected(tests)) return tests;
  const auto used = used_bits(trace);
  std::vector<Columns> columns(layout.battles);
  for (std::uint32_t battle = 0; battle < layout.battles; ++battle) {
    columns[battle].turns.resize(kTurns);
    columns[battle].bits.resize(used[battle].size());
  }
  const Mismatches mismatches = compare(trace, layout, seed, used, columns);
  tests.push_back(bits_in_use(used));
  tests.push_back(exact("replay", mismatches.ones == 0,
                        fmt::format("{} of {} battles differ from the reference {}",
                                    mismatches.ones, mismatches.compared, mismatches.first)));
  tests.push_back(exact("ones are the outcome's", mismatches.popcount == 0,
                        fmt::format("{} battles differ", mismatches.popcount)));
  tests.push_back(exact("outcome is the turns", one_to_one(columns),
                        "each turn compared with one outcome bit over all battles"));
  return tests;
}

}  // namespace ratchet::graveler
