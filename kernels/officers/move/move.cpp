// officers/move: plays the game of officers without a mistake.
//
//   ratchet run officers move 3 14 15     heaps of 3, 14 and 15 coins
//
// A move takes one coin of a heap and leaves the rest of it in one heap or in two; a lone coin may
// not be taken. Who cannot move loses. A position is lost for the player to move where the XOR of
// its heaps' Grundy values is 0 (Sprague and Grundy).
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "kernels/contract/program.h"
#include "kernels/officers/start/start.h"
#include "perf/support/error.h"

namespace ratchet::officers {
namespace {

/// All smaller values are kept (state_at()), and known in seconds.
constexpr std::uint64_t kLargestHeap = std::uint64_t{1} << 22;

class Move final : public ShortProgram {
 public:
  Move()
      : ShortProgram({.name = "officers/move",
                      .summary = "Finds the winning move among heaps of coins, if there is one",
                      .words = "N..."}) {}

  void answer(const Request& request) const override {
    std::vector<std::uint64_t> heaps;
    for (const std::string& word : request.words) {
      heaps.push_back(parse_unsigned(word, "the heap"));
      if (heaps.back() > kLargestHeap)
        throw Error(
            fmt::format("a heap of {} coins is too large; take {} or fewer", word, kLargestHeap));
    }
    const State state = state_at(*std::max_element(heaps.begin(), heaps.end()) + 1);
    std::uint32_t all = 0;
    for (const std::uint64_t heap : heaps) {
      all ^= state.value(heap);
      request.out << fmt::format("G({}) = {}\n", heap, state.value(heap));
    }
    request.out << fmt::format("Grundy value of the position: {}\n", all);
    if (all == 0) {
      const bool any = std::any_of(heaps.begin(), heaps.end(), [](auto heap) { return heap > 1; });
      request.out << (any ? "every move loses\n"
                          : "there is no move: the player to move has lost\n");
      return;
    }
    for (std::size_t which = 0; which < heaps.size(); ++which)
      if (const auto left = split(state, heaps[which], all ^ state.value(heaps[which]))) {
        const auto [first, second] = *left;
        request.out << fmt::format("take a coin of the heap of {}, leave {}", heaps[which], second)
                    << (first > 0 ? fmt::format(" and {}\n", first) : "\n");
        return;
      }
    throw Error("officers/move: no move leads to 0, which contradicts the values");  // never
  }

 private:
  /// What a move may leave of a heap so that its value becomes `wanted`: the smaller heap first.
  static std::optional<std::pair<std::uint64_t, std::uint64_t>> split(const State& state,
                                                                      std::uint64_t heap,
                                                                      std::uint32_t wanted) {
    for (std::uint64_t first = 0; heap > 1 && 2 * first < heap; ++first)
      if ((state.value(first) ^ state.value(heap - 1 - first)) == wanted)
        return {{first, heap - 1 - first}};
    return std::nullopt;
  }
};

const ProgramRegistration registered{std::make_unique<Move>()};

}  // namespace
}  // namespace ratchet::officers
