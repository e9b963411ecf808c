// Which battles of a trace are compared with which, and the tests on whole battles (not on single
// turns).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "correctness/graveler/checks/checks.h"

namespace ratchet::graveler {

/// A distance in the trace's order of battles. Where it leads from the end of one group into the
/// next, the two battles are as independent as any, so no pair has to be left out.
struct Lag {
  std::size_t entries = 0;
  std::string name;
};

/// Battles of one group in the trace.
std::size_t group_length(const Trace& trace);

/// 1 to 16 battles on; 1, 2, 4, 8, 16, 32 groups on, also with a step of a battle or two for
/// streams that run behind one another; 1 and 2 blocks on. Only those for which most of the trace
/// has a partner.
std::vector<Lag> lags_of(const Trace& trace);

/// Pairs of lags for triples: consecutive battles, neighbouring groups, both mixed.
std::vector<std::pair<Lag, Lag>> triples_of(const Trace& trace);

/// Ones of battles at each lag: products of deviations, and of squared deviations, and triples.
TestResults scan_counts(const Trace& trace, const std::vector<Lag>& lags);

/// No run of four outcome words occurs twice, at any place in a battle: streams that overlap, equal
/// seeds, a state that is not written back. Among 10^6 battles chance makes one once in 10^12
/// traces.
correctness::TestResult check_repeats(const Trace& trace,
                                      const std::vector<std::vector<std::uint16_t>>& used);

}  // namespace ratchet::graveler
