#include "correctness/graveler/checks/ring15/relations.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "kernels/graveler/cage/cage.h"

namespace ratchet::graveler {
namespace {

using Bits = boost::dynamic_bitset<std::uint64_t>;

/// Row echelon form that grows row by row and remembers which rows make each of its own.
class Echelon {
 public:
  Echelon(std::size_t columns, std::size_t rows) : pivot_(columns), rows_(rows) {}

  /// The rows given so far, this one among them, that sum to zero; none where it is independent.
  std::optional<Bits> add(Bits row, std::size_t index) {
    Bits made_of(rows_);
    made_of.set(index);
    for (auto lead = row.find_first(); lead != Bits::npos; lead = row.find_first()) {
      if (!pivot_[lead]) {
        pivot_[lead] = {std::move(row), std::move(made_of)};
        return std::nullopt;
      }
      row ^= pivot_[lead]->first;
      made_of ^= pivot_[lead]->second;
    }
    return made_of;
  }

 private:
  std::vector<std::optional<std::pair<Bits, Bits>>> pivot_;  ///< by leading column
  std::size_t rows_;
};

/// Columns of the matrix: the bits that some relation holds. A difference at any other bit is in no
/// sum of relations.
class Columns {
 public:
  void add(WordBit bit) { index_.try_emplace(bit, index_.size()); }
  std::size_t size() const { return index_.size(); }
  bool have_bit(unsigned bit) const {
    return std::any_of(index_.begin(), index_.end(),
                       [bit](const auto& entry) { return entry.first.bit == bit; });
  }
  Bits row(const std::vector<WordBit>& bits) const {
    Bits row(index_.size());
    for (const WordBit& bit : bits) row.flip(index_.at(bit));
    return row;
  }

 private:
  std::map<WordBit, std::size_t> index_;
};

struct Difference {
  Roll roll;
  std::vector<WordBit> bits;
};

std::vector<Difference> differences(const RollWords& rolls, const Columns& relations) {
  std::vector<Difference> all;
  for (unsigned bit = 0; bit < 32; ++bit) {
    if (!relations.have_bit(bit)) continue;
    for (const RollWord& word : rolls) {
      if ((word.bits >> bit & 1) == 0) continue;
      const auto at = [&](unsigned which) -> WordBit {
        return {static_cast<int>(word.round * kCageWords + cage_word(word.outcome, which)), bit};
      };
      for (const unsigned which : {0u, 1u})
        all.push_back({{word.round, word.outcome, bit}, {at(which), at(which + 1)}});
    }
  }
  return all;
}

Meeting meeting_of(const Bits& sum, const std::vector<Difference>& differences,
                   const std::vector<int>& steps) {
  std::set<Roll> rolls;
  Meeting meeting;
  for (auto row = sum.find_first(); row != Bits::npos; row = sum.find_next(row))
    if (row < differences.size())
      rolls.insert(differences[row].roll);
    else
      meeting.steps.push_back(steps[row - differences.size()]);
  meeting.rolls.assign(rolls.begin(), rolls.end());
  return meeting;
}

}  // namespace

std::vector<WordBit> relation(const RingSchedule& schedule, int n) {
  const unsigned r = schedule.rotation[static_cast<unsigned>(n) % Ring15::kRound];
  return {{n, 0}, {tapped_word(schedule, n), 0}, {n - static_cast<int>(kRingWords), (32 - r) % 32}};
}

std::vector<Meeting> meetings(const RingSchedule& schedule, const RollWords& rolls) {
  // The words of the round before are free: a round permutes the states. So its last words cannot
  // help, nor the first 15 relations, each of which has one of them that no later relation has.
  // Words to come have a relation of their own each, and cannot help either.
  int words = 0;
  for (const RollWord& word : rolls)
    words = std::max(words, static_cast<int>((word.round + 1) * kCageWords));
  std::vector<int> steps;
  Columns columns;
  for (int n = kRingWords; n < words; ++n) {
    steps.push_back(n);
    for (const WordBit& bit : relation(schedule, n)) columns.add(bit);
  }
  const std::vector<Difference> shown = differences(rolls, columns);
  for (const Difference& difference : shown)
    for (const WordBit& bit : difference.bits) columns.add(bit);

  // Differences first: what they have in common without relations is the cage's, and drops out.
  Echelon echelon(columns.size(), shown.size() + steps.size());
  for (std::size_t i = 0; i < shown.size(); ++i) echelon.add(columns.row(shown[i].bits), i);
  std::vector<Meeting> found;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (const auto sum = echelon.add(columns.row(relation(schedule, steps[i])), shown.size() + i))
      found.push_back(meeting_of(*sum, shown, steps));
  return found;
}

std::string text_of(const Meeting& meeting) {
  std::vector<std::string> rolls;
  for (const Roll& roll : meeting.rolls)
    rolls.push_back(fmt::format("{}{} bit {}", roll.outcome,
                                roll.round == 0 ? "" : fmt::format(" of round +{}", roll.round),
                                roll.bit));
  return fmt::format("{} rolls (outcome {}) by {} relations (steps {})", rolls.size(),
                     fmt::join(rolls, ", "), meeting.steps.size(), fmt::join(meeting.steps, ", "));
}

}  // namespace ratchet::graveler
