// The graveler family: N battles of 231 four-sided rolls; the most ones in any battle.
//
// Source: Barr, "Exploding Pokemon As Fast As Possible"
// (https://github.com/CattoFace/graveler-sim). Unit of work: battles.
// The headline result, one maximum out of 10^9 battles, cannot even see a factor of two in N, so
// every stage also offers its probes: the same kernel body, instantiated to keep what it would
// throw away.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/contract/stage.h"

namespace ratchet::graveler {

inline constexpr unsigned kTurns = 231;                   ///< rolls in a battle
inline constexpr std::uint64_t kBillion = 1'000'000'000;  ///< battles of the text's challenge
/// N of 0 is refused by the parameter range, and so is anything beyond 2^63.
inline constexpr std::uint64_t kMaxBattles = std::uint64_t{1} << 63;

struct Result {
  std::uint64_t battles = 0;   ///< battles that entered the maximum: exactly the number asked for
  std::uint32_t max_ones = 0;  ///< the most ones in any of them, 0..231
};

/// A prepared graveler stage.
class Simulation : public Instance {
 public:
  /// The result of the last run(). Waits for it.
  virtual Result collect() = 0;
};

/// bin[k] = battles with exactly k ones. Sums to the number of battles asked for.
using Histogram = std::array<std::uint64_t, kTurns + 1>;

/// Which words a probe feeds to the kernel body.
enum class Stream {
  own,      ///< the stage's own generator, as timed
  counter,  ///< of kernels/support/counter_stream.h, which the reference can replay
};

/// Where a roll finds its two bits. A *round* is the smallest repeating piece of a stage's work:
/// `lanes` generators side by side each draw `words` words, and `battles` battles come out.
struct Site {
  std::uint32_t lane = 0;  ///< generator of the group that drew the words
  std::uint32_t word_a = 0,
                bit_a = 0;  ///< index of the word in the lane's draws of this round; bit in it
  std::uint32_t word_b = 0, bit_b = 0;
  /// A third word whose bit `bit_m` is XORed into both; kNoWord where the two bits are used as
  /// drawn.
  std::uint32_t word_m = kNoWord, bit_m = 0;
  static constexpr std::uint32_t kNoWord = ~0u;
};
struct Layout {
  std::uint32_t word_bits = 32;  ///< 32 or 64
  std::uint32_t lanes = 1;
  std::uint32_t words = 0;    ///< words each lane draws a round
  std::uint32_t battles = 1;  ///< battles that a round yields
  std::uint32_t hit = 3;      ///< a roll of 2*a + b counts as a one when it equals this
  /// 0 where no random bit is used twice, so that all rolls are independent if the words are.
  /// Otherwise words are shared through masks, and any fewer than this many rolls are still exactly
  /// independent.
  std::uint32_t independent_below = 0;
  std::function<Site(std::uint32_t battle, std::uint32_t turn)> site;
};

/// Battle by battle, what the kernel body saw and counted, for `groups` groups (neighbours in the
/// machine: threads, warps or vectors, in the order of their index) over `rounds` consecutive
/// rounds. Battle (g, r, b) is entry (g * rounds + r) * layout.battles + b.
struct Trace {
  std::uint32_t groups = 0;
  std::uint32_t groups_per_block = 1;  ///< groups of one block (GPU) or of one thread (CPU)
  std::uint32_t rounds = 0;
  std::uint32_t battles_per_round = 1;
  std::uint32_t words_per_battle = 8;  ///< 32-bit words kept for each battle's outcome
  std::vector<std::uint16_t> ones;     ///< as the kernel counted them
  /// The outcome bits the kernel counted, after masking: entry * words_per_battle words. Which turn
  /// sits at which bit is up to the stage but fixed for each battle of the round; exactly 231 bits
  /// are in use.
  std::vector<std::uint32_t> outcome;
};

/// What a family's stage adds to the contract.
class GravelerStage : public Stage {
 public:
  using Stage::Stage;
  std::unique_ptr<Instance> prepare(const Parameters& parameters) const final {
    return prepare_simulation(parameters);
  }
  virtual std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const = 0;
  /// Probe: runs the body over parameters.at("battles") battles and keeps the whole distribution.
  /// These are the very battles that the first run() of a fresh instance plays under the same seed
  /// (on one thread, where a CPU stage has several), so that the maximum can be checked against
  /// them.
  virtual Histogram histogram(const Parameters& parameters) const = 0;
  /// Probe: `rounds` rounds of up to `max_groups` groups (but at least a whole block on a GPU),
  /// battle by battle. With Stream::counter, word w of round r of lane l of group g is
  /// counter_word32 (or 64) of (seed, g * lanes + l, r * words + w). An as-printed stage plays two
  /// rounds at the least, and must not be asked for fewer.
  virtual Trace trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
                      std::uint32_t rounds) const = 0;
  virtual Layout layout() const = 0;
};

/// Layout of the plain pairing: word 2i AND word 2i+1 give turns i*word_bits ... of one battle.
/// Turn t sits at bit t % word_bits, but the last pair keeps its *high* bits, as the text's mask
/// does: 25..63 of 64, 25..31 of 32 (turn 224 of 32-bit words is at bit 25).
Layout paired_words_layout(std::uint32_t word_bits);

/// The parameters every graveler stage has, battles and seed, then those of its own.
std::vector<Parameter> common_parameters(std::uint64_t default_battles,
                                         const std::vector<Parameter>& own = {});

/// StageInfo::source for an idea of the text: the document and the section's heading.
std::string text(const std::string& section);

/// `info` with what all graveler stages state alike filled in: backend, unit, size, sanitizer run.
StageInfo stage_info(StageInfo info);

}  // namespace ratchet::graveler
