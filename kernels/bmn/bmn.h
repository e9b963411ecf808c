// The bmn family: games of Beggar-My-Neighbour, shuffled and played to the end; how long they last.
//
// Source: Innes, "Beggar My Neighbour: a learning exercise in speeding up a C++ program by CUDA
// GPUs" (https://github.com/acinnes/bmn); conventions in reference/bmn.h. Unit of work: deals.
//
// Deal i of a run is the shuffle of the four words counter_word32(seed, i, 0..3), whatever lane
// plays it, so that every stage plays the same games and the reference replays each of them. A game
// that is not over after `cap` turns is *capped*: kept with its cards, counted, never taken for
// finished, since some games never end.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/contract/stage.h"
#include "kernels/support/host_device.h"

namespace ratchet::bmn {

inline constexpr unsigned kDeck = 52, kCourts = 16, kHand = 26;
inline constexpr std::uint64_t kMaxDeals = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kDefaultCap = 10'000;
/// Counters of the stages hold this many turns and the trick that goes beyond.
inline constexpr std::uint64_t kMaxCap = 15'000;

/// Two hands of up to 52 cards and 16 court cards together. Bit i of courts[p] says that the i-th
/// card from the front of player p's hand is a court; ranks holds two bits a court from the lowest
/// on, player 0's first, in the order they are played: 0..3 for J, Q, K, A.
struct Deal {
  std::uint64_t courts[2] = {0, 0};
  std::uint32_t ranks = 0;
  std::uint8_t cards[2] = {0, 0};  ///< 0..52 each, 52 at most together

  bool operator==(const Deal&) const = default;
};

/// From text such as "-KQ-", front first. Throws `Error` naming what is wrong: another character,
/// more cards or courts than a Deal holds.
Deal deal_of(std::string_view first, std::string_view second);
/// The same of 52 characters, 26 a player.
Deal deal_of(std::string_view both);
/// "first/second".
std::string text_of(const Deal& deal);

inline constexpr unsigned kNobody = 2;
/// Of a game: turns, tricks and the winner; 0, 0 and kNobody of a capped one.
struct Outcome {
  std::uint32_t turns = 0, tricks = 0;
  std::uint32_t winner = kNobody;

  bool operator==(const Outcome&) const = default;
};

/// What deal `index` adds to the digest of a run: a sum over deals modulo 2^64, so that order does
/// not matter and a game lost, doubled or exchanged with another shows.
RATCHET_HD inline std::uint64_t digest_of(std::uint64_t index, const Outcome& outcome) {
  std::uint64_t weight = (index + 1) * 0x9e3779b97f4a7c15u;
  weight ^= weight >> 31;
  return weight * (outcome.turns | outcome.tricks << 16 | (outcome.winner + 1) << 30);
}

/// Games by length: bins 0..124 of 8 turns each, then bins of 250 turns from 1000 on.
inline constexpr unsigned kFineBins = 125, kBins = kFineBins + 57;
RATCHET_HD inline unsigned bin_of(std::uint32_t turns) {
  return turns < 1000 ? turns / 8 : kFineBins + (turns - 1000) / 250;
}
/// First turn count of a bin.
constexpr std::uint32_t bin_start(unsigned bin) {
  return bin < kFineBins ? bin * 8 : 1000 + (bin - kFineBins) * 250;
}

/// A game of a run, with its deal.
struct Game {
  std::uint64_t index = 0;
  Outcome outcome;
  Deal deal;
};

struct Result {
  std::uint64_t deals = 0;  ///< played: finished + capped, counted where they end
  std::uint64_t finished = 0;
  std::uint64_t capped = 0;
  std::uint64_t turns = 0, tricks = 0;            ///< sums over finished games
  std::array<std::uint64_t, 2> wins = {};         ///< finished games by winner
  std::uint64_t digest = 0;                       ///< sum of digest_of() over all games
  std::array<std::uint64_t, kBins> lengths = {};  ///< finished games by bin_of(turns)
  /// The finished game of most turns, and of most tricks; of several the one of lowest index. Of
  /// none, where all are capped, a Game as made, whose deal is empty.
  Game most_turns, most_tricks;
  /// Capped games by index, the first kCappedKept that were found; `capped` counts all.
  std::vector<Game> capped_games;
};
inline constexpr std::size_t kCappedKept = 4096;

/// Deal `index` under `seed`.
Deal shuffled_deal(std::uint64_t seed, std::uint64_t index);

/// A prepared bmn stage. Run r of an instance plays the deals r * deals and following.
class Table : public Instance {
 public:
  /// Of the last run() alone. Waits for it.
  virtual Result collect() = 0;
};

/// What a family's stage adds to the contract.
class BmnStage : public Stage {
 public:
  using Stage::Stage;
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final {
    return prepare_table(parameters);
  }
  virtual std::unique_ptr<Table> prepare_table(const Parameters& parameters) const = 0;
  /// Deal `index` of the runs of an instance. Of all stages but the searches it is the shuffle that
  /// its index decides.
  virtual Deal deal(const Parameters& parameters, std::uint64_t index) const {
    return shuffled_deal(parameters.at("seed"), index);
  }
  /// Whether the deals are independent shuffles, so that lengths follow their law.
  virtual bool shuffles() const { return true; }
  /// The same under `parameters`: not of chains of swaps.
  bool shuffles_at(const Parameters& parameters) const {
    return shuffles() && (!parameters.has("chain") || parameters.at("chain") == 1);
  }
  /// Probe: the games of the first run() one by one, by the body that is timed.
  virtual std::vector<Outcome> games(const Parameters& parameters) const = 0;
  /// Probe: the outcomes of given deals, by the body that is timed; `deals` and `seed` are ignored.
  virtual std::vector<Outcome> play(const Parameters& parameters,
                                    std::span<const Deal> deals) const = 0;
};

/// The parameters every stage has: deals, seed, cap.
std::vector<Parameter> common_parameters(std::uint64_t default_deals);

/// StageInfo::source for an idea of the text: the document and the section's heading.
std::string of_text(const std::string& section);

/// `info` with what all bmn stages state alike filled in: backend, unit, size, sanitizer run.
StageInfo stage_info(StageInfo info);

}  // namespace ratchet::bmn
