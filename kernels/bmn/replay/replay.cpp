// bmn/replay: a game of Beggar-My-Neighbour, card by card.
//
//   ratchet run bmn replay "DEAL"     52 characters, or the two hands with "/" between them
//
// A line a trick: the turns played by its end, the cards in the order laid, "1:" and "2:" before
// those of the first and of the second player, who takes them, and the hands after it.
#include <fmt/format.h>

#include <ostream>

#include "kernels/bmn/bmn.h"
#include "kernels/bmn/search/best.h"
#include "kernels/contract/program.h"
#include "perf/support/error.h"
#include "reference/bmn.h"

namespace ratchet::bmn {
namespace {

namespace def = reference::bmn;

Deal deal_from(const std::string& text) {
  const std::size_t cut = text.find('/');
  return cut == text.npos ? deal_of(text) : deal_of(text.substr(0, cut), text.substr(cut + 1));
}

/// The cards of a trick between two states, with the player who laid each run of them.
std::string cards_laid(const def::State& before, const def::State& after) {
  // The winner has them under the hand, in their order.
  const def::Hand& taken = after.hand[after.leader];
  const auto count = static_cast<std::ptrdiff_t>(after.turns - before.turns);
  const def::Hand pile(taken.end() - count, taken.end());
  std::string text;
  unsigned player = before.leader, shown = 2;
  bool owed = false;  // ends with the trick, or by another court card
  for (const def::Card card : pile) {
    if (player != shown) text += fmt::format("{}{}:", text.empty() ? "" : " ", player + 1);
    shown = player;
    text += def::text_of({card});
    owed = owed || card > 0;
    if (card > 0 || !owed) player = 1 - player;
  }
  return text;
}

class Replay final : public ShortProgram {
 public:
  Replay()
      : ShortProgram({.name = "bmn/replay",
                      .summary = "Plays a deal card by card, a line a trick",
                      .words = "DEAL"}) {}

  void answer(const Request& request) const override {
    const std::string deal = text_of(deal_from(request.words[0]));
    const std::size_t cut = deal.find('/');
    def::State state;
    state.hand = {def::hand_of(deal.substr(0, cut)), def::hand_of(deal.substr(cut + 1))};
    const def::Fate fate = def::fate(state.hand[0], state.hand[1]);
    const std::uint64_t last =
        fate.endless ? fate.transient_tricks + fate.period_tricks : fate.tricks;
    request.out << "trick turns cards: who takes them, the hands then\n";
    while (state.tricks < last && !request.stopped()) {
      const def::State before = state;
      def::play_trick(state);
      request.out << fmt::format("{:5} {:5} {}: {} takes {}, {}/{}\n", state.tricks, state.turns,
                                 cards_laid(before, state), state.leader + 1,
                                 state.turns - before.turns, def::text_of(state.hand[0]),
                                 def::text_of(state.hand[1]));
    }
    request.out << deal.substr(0, cut) + deal.substr(cut + 1) << ": "
                << search::fate_of(deal_from(deal))
                << (fate.endless ? "" : fmt::format("; player {} wins", fate.winner + 1)) << "\n";
  }
};

const ProgramRegistration registered{std::make_unique<Replay>()};

}  // namespace
}  // namespace ratchet::bmn
