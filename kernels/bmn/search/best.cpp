#include "kernels/bmn/search/best.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "kernels/contract/counted.h"
#include "perf/support/error.h"
#include "reference/bmn.h"

namespace ratchet::bmn::search {
namespace {

reference::bmn::Fate fate(const Deal& deal) {
  const std::string text = text_of(deal);
  const std::size_t middle = text.find('/');
  return reference::bmn::fate(reference::bmn::hand_of(text.substr(0, middle)),
                              reference::bmn::hand_of(text.substr(middle + 1)));
}

std::string length_in_words(std::uint64_t turns, std::uint64_t tricks) {
  return counted(turns, "turns") + ", " + counted(tricks, "tricks");
}

std::string in_words(const reference::bmn::Fate& fate) {
  if (!fate.endless) return length_in_words(fate.turns, fate.tricks);
  return fmt::format("never ends: from turn {} on it repeats every {}", fate.transient_turns,
                     length_in_words(fate.period_turns, fate.period_tricks));
}

/// The cards alone, as the text prints a deal: the first half is player 0's.
std::string printed(const Deal& deal) {
  std::string text = text_of(deal);
  return text.erase(text.find('/'), 1);
}

}  // namespace

std::string fate_of(const Deal& deal) { return in_words(fate(deal)); }

std::string Best::text() const {
  return fmt::format("turns={} tricks={} endless={}", turns, tricks, endless);
}

Best Best::of_text(const std::string& text) {
  unsigned long long t = 0, k = 0, e = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "turns=%llu tricks=%llu endless=%llu%n", &t, &k, &e, &end) != 3 ||
      static_cast<std::size_t>(end) != text.size())
    throw Error("'" + text +
                "' is not a state of this search; name another record file (--records)");
  return {t, k, e};
}

void Best::take(const Deal& deal, std::uint64_t game_turns, std::uint64_t game_tricks,
                const std::string& where, std::vector<std::string>& records) {
  if (game_turns <= turns && game_tricks <= tricks) return;
  turns = std::max(turns, game_turns);
  tricks = std::max(tricks, game_tricks);
  records.push_back(printed(deal) + ": " + length_in_words(game_turns, game_tricks) + where);
}

void Best::take_capped(const Deal& deal, const std::string& where,
                       std::vector<std::string>& records) {
  const reference::bmn::Fate proven = fate(deal);
  if (!proven.endless) return take(deal, proven.turns, proven.tricks, where, records);
  ++endless;
  records.push_back(fmt::format("{}: {}{}", printed(deal), in_words(proven), where));
}

void demand_all_kept(std::uint64_t capped, std::size_t kept, std::uint64_t deals,
                     std::uint64_t cap) {
  if (capped > kept)
    throw Error(
        fmt::format("{} games of {} reached the cap of {} turns, more than are kept; raise cap",
                    capped, deals, cap));
}

void take_climb(Best& best, const ClimbResult& result, std::uint64_t cap, const std::string& where,
                std::vector<std::string>& records) {
  demand_all_kept(result.capped, result.capped_deals.size(), result.deals, cap);
  const auto& climbers = result.climbers;
  for (const auto length : {&Climber::best_turns, &Climber::best_tricks}) {
    const auto highest =
        std::max_element(climbers.begin(), climbers.end(),
                         [&](const Climber& a, const Climber& b) { return a.*length < b.*length; });
    best.take(highest->best, highest->best_turns, highest->best_tricks,
              fmt::format(" [{}, climber {}]", where, highest - climbers.begin()), records);
  }
  for (const Deal& deal : result.capped_deals)
    best.take_capped(deal, fmt::format(" [{}]", where), records);
}

const Stage* fastest(const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (const Stage* stage = find_stage(name); stage != nullptr && stage->availability().ok)
      return stage;
  throw Error("none of the stages " + names.front() + " to " + names.back() + " can run here",
              ExitCode::nothing_ran);
}

}  // namespace ratchet::bmn::search
