// Deals of related seeds have nothing to do with each other, and a stage plays those of its seed,
// whichever of its bits are set.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <set>
#include <tuple>

#include "correctness/bmn/checks/checks.h"
#include "correctness/support/related_seeds.h"
#include "correctness/support/statistics.h"

namespace ratchet::bmn {
namespace {

using correctness::exact;
using correctness::ZScan;

constexpr std::uint64_t kDeals = 4'096;

std::uint64_t courts_of(const Deal& deal) { return deal.courts[0] | deal.courts[1] << kHand; }

/// Places where both seeds have a court, deal by deal, in standard deviations: hypergeometric.
double coincidence(const std::vector<Deal>& a, const std::vector<Deal>& b) {
  constexpr double kShare = double{kCourts} / kDeck;
  constexpr double kMean = kCourts * kShare;
  constexpr double kVariance = kMean * (1 - kShare) * (kDeck - kCourts) / (kDeck - 1);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::popcount(courts_of(a[i]) & courts_of(b[i])) - kMean;
  return sum / std::sqrt(kVariance * static_cast<double>(a.size()));
}

}  // namespace

TestResults check_related_seeds() {
  const std::vector<std::uint64_t> seeds = correctness::related_seeds();
  std::vector<std::vector<Deal>> deals(seeds.size());
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> different;
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::uint64_t index = 0; index < kDeals; ++index) {
      const Deal deal = shuffled_deal(seeds[i], index);
      deals[i].push_back(deal);
      different.emplace(deal.courts[0], deal.courts[1], deal.ranks);
    }
  ZScan scan("courts of two related seeds");
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::size_t j = i + 1; j < seeds.size(); ++j)
      scan.add(coincidence(deals[i], deals[j]),
               fmt::format("seeds {:#x} and {:#x}", seeds[i], seeds[j]));
  TestResults tests =
      scan.tests(1 / std::sqrt(kDeals * double{kDeck - 1}), "correlation of courts");
  // Of 6.5e20 deals two of these are alike by chance with a probability of 6e-11.
  tests.push_back(exact("no deal twice", different.size() == seeds.size() * kDeals,
                        fmt::format("{} of {} differ", different.size(), seeds.size() * kDeals)));
  return tests;
}

TestResults check_seed_bits(const BmnStage& stage) {
  TestResults tests;
  for (const std::uint64_t seed : correctness::related_seeds())
    for (auto& test : check_games(stage, parameters_for(stage, 24, seed))) {
      test.name += fmt::format(", seed {:#x}", seed);
      tests.push_back(std::move(test));
    }
  return tests;
}

}  // namespace ratchet::bmn
