// What the CUDA stages keep of their games (kernels/bmn/record/record.cuh) on a CPU: the threads of
// a block report theirs in many orders. And backlogs, small and large (text/lanes.cuh).
#include "correctness/emulator/grid_on_host.h"
// After it:
#include "kernels/bmn/record/record.cuh"
#include "kernels/bmn/text/lanes.cuh"

// And the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "correctness/bmn/checks/checks.h"

namespace ratchet::bmn {
namespace {

constexpr unsigned kBlocks = 2, kEach = 3;
constexpr std::uint64_t kRunFirst = 400, kFirst = 1000;  // a later launch of a run

/// A thread's games, in its order.
void report(const Job& job, Totals* totals, const Outcome* outcomes, const unsigned* order) {
  __shared__ BlockRecord block;
  Record record(block, job, kRunFirst, totals);
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < kEach; ++i) {
    const unsigned index = order[thread * kEach + i];
    record.game(index, outcomes[index]);
  }
  record.finish();
}

std::uint64_t key(std::uint32_t length, const Game& game) {
  return std::uint64_t{length} << kKeyShift | (kKeyIndex - (game.index - kRunFirst));
}

/// Few lengths, so that many games share each, the longest too; some are past the cap.
void expect_sums(unsigned threads, std::uint64_t seed) {
  const unsigned games = kBlocks * threads * kEach;
  std::mt19937_64 random(seed);
  std::vector<Outcome> outcomes(games);
  for (Outcome& outcome : outcomes) {
    outcome.turns = 90 + static_cast<std::uint32_t>(random() % 12);
    outcome.tricks = 10 + static_cast<std::uint32_t>(random() % 6);
    outcome.winner = static_cast<std::uint32_t>(random() % 2);
  }
  std::vector<unsigned> order(games);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), random);
  Job job;
  job.first = kFirst, job.deals = games, job.cap = 99;
  Totals seen{};
  on_host::grid.random.seed(seed), on_host::grid.stays = seed % 2 == 1;
  on_host::grid.watched.emplace_back(&seen, sizeof seen);
  on_host::launch_block_by_block(report, kBlocks, threads, 0, job, &seen, outcomes.data(),
                                 order.data());

  for (Outcome& outcome : outcomes)
    if (outcome.turns > job.cap) outcome = Outcome{};
  const Result wanted = sum_of(outcomes, kFirst);
  EXPECT_EQ(wanted.turns, seen.turns);
  EXPECT_EQ(wanted.tricks, seen.tricks);
  EXPECT_EQ(wanted.wins[1], seen.second_wins);
  EXPECT_EQ(wanted.digest, seen.digest);
  EXPECT_EQ(key(wanted.most_turns.outcome.turns, wanted.most_turns), seen.most_turns);
  EXPECT_EQ(key(wanted.most_tricks.outcome.tricks, wanted.most_tricks), seen.most_tricks);
  EXPECT_TRUE(std::equal(wanted.lengths.begin(), wanted.lengths.end(), seen.lengths));
  std::vector<std::uint64_t> capped;
  for (unsigned i = 0; i < games; ++i)
    if (outcomes[i].winner == kNobody) capped.push_back(kFirst + i - kRunFirst);
  ASSERT_EQ(capped.size(), seen.capped);
  std::sort(seen.capped_index, seen.capped_index + seen.capped);
  EXPECT_TRUE(std::equal(capped.begin(), capped.end(), seen.capped_index));
}

TEST(BmnRecord, IsThatOfItsGamesInWhateverOrderTheyEnd) {
  for (const unsigned threads : {32, 64, 128, 256})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      expect_sums(threads, seed);
      if (testing::Test::HasFailure()) return;
    }
}

constexpr unsigned kBacklog = 40;

/// Small backlogs, of which every kBatches-th is played; by a machine for any of the tables.
template <unsigned kBatches, class Card, class Entry>
void play(const Job& job, const ShuffleTables* tables, const Entry* table, Totals* totals) {
  __shared__ text::ShortDeal<Card> backlog[kBacklog];
  text::play_batches<kBatches, kBacklog>(job, 0, tables, table, backlog, totals);
}

/// A job of these deals, and what their games are as defined, for those that are played.
struct Played {
  explicit Played(std::vector<Deal> all) : deals(std::move(all)), seen(deals.size(), kNotPlayed) {
    job.given = deals.data(), job.deals = deals.size(), job.cap = 500, job.each = seen.data();
  }
  void expect_games(const std::function<bool(std::uint64_t)>& plays) const {
    std::uint64_t played = 0, digest = 0;
    for (std::uint64_t i = 0; i < seen.size(); ++i) {
      const Outcome wanted = plays(i) ? by_definition(deals[i], job.cap) : kNotPlayed;
      ASSERT_EQ(wanted, seen[i]) << "deal " << i;
      if (plays(i)) ++played, digest += digest_of(i, wanted);
    }
    EXPECT_EQ(digest, totals.digest);
    EXPECT_EQ(played,
              totals.capped + std::accumulate(totals.lengths, totals.lengths + kBins, 0ull));
  }
  static constexpr Outcome kNotPlayed{~0u, ~0u, ~0u};
  std::vector<Deal> deals;
  std::vector<Outcome> seen;
  Job job;
  Totals totals{};
};

/// Of every `kBatches` backlogs of a block the first is played; the last launch is not a whole one.
template <unsigned kBatches, class Card = std::uint8_t, class Entry = text::PackedEntry>
void expect_batches_played(std::uint64_t deals) {
  std::vector<Deal> shuffles;
  for (std::uint64_t i = 0; i < deals; ++i) shuffles.push_back(shuffled_deal(5, i));
  Played games(shuffles);
  const auto table = text::action_table<Entry>();
  on_host::launch_block_by_block(play<kBatches, Card, Entry>, kBlocks, 32, 0, games.job,
                                 &shuffle_tables(), table.entry, &games.totals);
  games.expect_games([](std::uint64_t i) { return i / (kBlocks * kBacklog) % kBatches == 0; });
}

TEST(BmnBatches, AllArePlayedOrOneOf128AsPrinted) {
  expect_batches_played<1>(1'003);
  constexpr unsigned printed = text::kPrintedBatches, search = printed * kBlocks * kBacklog;
  EXPECT_EQ(printed, 128u);
  expect_batches_played<printed>(search + 61);
}

TEST(BmnBatches, AreAllPlayedByTheArticlesTable) {
  expect_batches_played<1, std::uint8_t, text::PackedPlay>(1'003);
  expect_batches_played<1, int, text::WidePlay>(203);
}

/// A large backlog, its table in global memory or in shared. Some of the deals are over at once.
template <class Card, class Entry, bool kShared>
void expect_backlog_played() {
  Played games(edge_deals(500));
  std::vector<text::ShortDeal<Card>> backlog(games.deals.size());
  for (std::size_t i = 0; i < backlog.size(); ++i) text::write_out(games.deals[i], backlog[i]);
  const auto table = text::action_table<Entry>();
  unsigned long long taken = 0;
  on_host::launch_block_by_block(text::play_backlog<Card, Entry, kShared>, kBlocks, 64, 0,
                                 games.job, 0, table.entry, backlog.data(), &taken, &games.totals);
  games.expect_games([](std::uint64_t) { return true; });
}

TEST(BmnBacklog, IsPlayedByEitherTableWhereverItLies) {
  expect_backlog_played<int, text::WideEntry, true>();
  expect_backlog_played<int, text::WidePlay, false>();
  expect_backlog_played<int, text::WidePlay, true>();
  expect_backlog_played<std::uint8_t, text::PackedPlay, true>();
}

void play_swaps(const Job& job, const ShuffleTables* tables, Totals* totals) {
  __shared__ BlockRecord block;
  Record record(block, job, 0, totals);
  text::StackOfCards<int> hand[2];
  text::play_chains(job, tables, [&](std::uint64_t index, const Deal& deal) {
    text::deal_out(deal, hand);
    record.game(index, text::play_nested(hand, job.cap));
  });
  record.finish();
}

/// Jobs that begin and end within chains, with more chains than threads and with fewer.
TEST(BmnChains, AreThoseOfTheSearchWhereverAJobBegins) {
  for (const std::uint64_t length : {2, 7, 256})
    for (const std::uint64_t first : {0, 5, 700}) {
      constexpr std::uint64_t kDeals = 601;
      std::vector<Outcome> seen(kDeals, Outcome{~0u, ~0u, ~0u});
      Job job;
      job.seed = 5, job.first = first, job.deals = kDeals, job.cap = 500;
      job.search = length, job.each = seen.data();
      Totals totals{};
      on_host::launch_block_by_block(play_swaps, kBlocks, 32, 0, job, &shuffle_tables(), &totals);
      Parameters chain("chains", search::chain_parameters(1));
      chain.set("chain", length).set("seed", 5u);
      std::uint64_t digest = 0;
      for (std::uint64_t i = 0; i < kDeals; ++i) {
        const Deal deal = search::chained_deal(chain, first + i);
        ASSERT_EQ(by_definition(deal, job.cap), seen[i]) << length << ": deal " << first + i;
        digest += digest_of(first + i, seen[i]);
      }
      EXPECT_EQ(digest, totals.digest);
    }
}

}  // namespace
}  // namespace ratchet::bmn
