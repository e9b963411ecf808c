#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>

#include "correctness/graveler/checks/checks.h"

namespace ratchet::graveler {
namespace {

using correctness::exact;

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

bool in_range(const Layout& layout, const Site& site) {
  const bool mask =
      site.word_m == Site::kNoWord || (site.word_m < layout.words && site.bit_m < layout.word_bits);
  return mask && site.lane < layout.lanes && site.word_a < layout.words &&
         site.word_b < layout.words && site.bit_a < layout.word_bits &&
         site.bit_b < layout.word_bits;
}

/// The rolls of a round and the random bits they read, as a graph with an edge where a roll reads a
/// bit.
///
/// A roll shows two sums modulo 2, a + m and b + m; m is a constant zero, shared by all such rolls,
/// where there is no mask. Independent fair bits make rolls dependent only where some of these sums
/// cancel, that is along a closed path roll, bit, roll, bit, ... So the fewest dependent rolls are
/// half the girth.
class RollGraph {
 public:
  explicit RollGraph(const Layout& layout) {
    for (std::uint32_t battle = 0; battle < layout.battles; ++battle)
      for (std::uint32_t turn = 0; turn < kTurns; ++turn) add(layout.site(battle, turn));
  }

  std::size_t bits() const { return rolls_of_bit_.size(); }

  /// The fewest rolls that depend on each other; kNone when all are independent.
  std::uint32_t fewest_dependent() const {
    if (is_forest()) return kNone;  // the usual case, and quick where the searches below are not
    std::uint32_t fewest = kNone;
    for (std::uint32_t roll = 0; roll < bits_of_roll_.size(); ++roll) {
      const auto& bits = bits_of_roll_[roll];
      if (bits[0] == bits[1] || bits[0] == bits[2] || bits[1] == bits[2]) return 1;
      fewest = std::min(fewest, shortest_cycle_from(roll));
    }
    return fewest;
  }

 private:
  using Bit = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

  void add(const Site& site) {
    const bool masked = site.word_m != Site::kNoWord;
    const Bit zero{kNone, 0, 0};
    const std::array<Bit, 3> bits{Bit{site.lane, site.word_a, site.bit_a},
                                  Bit{site.lane, site.word_b, site.bit_b},
                                  masked ? Bit{site.lane, site.word_m, site.bit_m} : zero};
    const auto roll = static_cast<std::uint32_t>(bits_of_roll_.size());
    std::array<std::uint32_t, 3> numbers{};
    for (std::size_t i = 0; i < 3; ++i) {
      numbers[i] =
          number_of_bit_.emplace(bits[i], static_cast<std::uint32_t>(number_of_bit_.size()))
              .first->second;
      rolls_of_bit_.resize(number_of_bit_.size());
      rolls_of_bit_[numbers[i]].push_back(roll);
    }
    bits_of_roll_.push_back(numbers);
  }

  bool is_forest() const {
    std::vector<std::uint32_t> parent(rolls_of_bit_.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t bit) {
      while (parent[bit] != bit) bit = parent[bit] = parent[parent[bit]];
      return bit;
    };
    // A roll joins its three bits; where two of them hang together already, there is a cycle.
    for (const auto& bits : bits_of_roll_)
      for (const std::size_t i : {0, 1}) {
        const std::uint32_t one = root(bits[i]), other = root(bits[i + 1]);
        if (one == other) return false;
        parent[one] = other;
      }
    return true;
  }

  /// Rolls on the shortest closed path found by a breadth-first search from `start`. The least of
  /// these over all starts is exact.
  std::uint32_t shortest_cycle_from(std::uint32_t start) const {
    struct Seen {
      std::uint32_t distance, by_bit;
    };
    std::map<std::uint32_t, Seen> seen{{start, {0, kNone}}};
    std::map<std::uint32_t, std::uint32_t> bit_owner;  // the roll through which a bit was reached
    std::queue<std::uint32_t> open({start});
    for (; !open.empty(); open.pop()) {
      const std::uint32_t roll = open.front(), distance = seen.at(roll).distance;
      for (const std::uint32_t bit : bits_of_roll_[roll]) {
        if (bit == seen.at(roll).by_bit) continue;
        const auto [owner, first] = bit_owner.emplace(bit, roll);
        if (!first) return distance + seen.at(owner->second).distance + 1;
        for (const std::uint32_t next : rolls_of_bit_[bit]) {
          if (next == roll) continue;
          if (!seen.emplace(next, Seen{distance + 1, bit}).second)
            return distance + seen.at(next).distance + 1;
          open.push(next);
        }
      }
    }
    return kNone;
  }

  std::vector<std::array<std::uint32_t, 3>> bits_of_roll_;
  std::vector<std::vector<std::uint32_t>> rolls_of_bit_;
  std::map<Bit, std::uint32_t> number_of_bit_;
};

correctness::TestResult independence_of_rolls(const Layout& layout) {
  const RollGraph graph(layout);
  const std::uint32_t fewest = graph.fewest_dependent();
  // Below five the variance of a battle's ones would not be that of independent rolls.
  const bool held = layout.independent_below == 0
                        ? fewest == kNone
                        : layout.independent_below >= 5 && fewest >= layout.independent_below;
  return exact("layout independence", held,
               fmt::format("{} rolls on {} bits; fewest dependent rolls: {}, claimed: {}",
                           layout.battles * kTurns, graph.bits(),
                           fewest == kNone ? "none" : std::to_string(fewest),
                           layout.independent_below == 0
                               ? "none"
                               : std::to_string(layout.independent_below) + " or more"));
}

}  // namespace

TestResults check_layout(const Layout& layout) {
  const bool shape = (layout.word_bits == 32 || layout.word_bits == 64) && layout.lanes > 0 &&
                     layout.words > 0 && layout.battles > 0 && layout.hit < 4 && layout.site;
  TestResults tests{
      exact("layout shape", shape,
            fmt::format("{} lanes of {} words of {} bits give {} battles, hit {}", layout.lanes,
                        layout.words, layout.word_bits, layout.battles, layout.hit))};
  if (!shape) return tests;
  std::string outside;
  for (std::uint32_t battle = 0; battle < layout.battles; ++battle)
    for (std::uint32_t turn = 0; turn < kTurns; ++turn)
      if (!in_range(layout, layout.site(battle, turn)))
        outside = fmt::format("battle {} turn {}", battle, turn);
  tests.push_back(exact("layout range", outside.empty(),
                        outside.empty() ? "all sites in range" : "out of range: " + outside));
  tests.push_back(independence_of_rolls(layout));
  return tests;
}

}  // namespace ratchet::graveler
