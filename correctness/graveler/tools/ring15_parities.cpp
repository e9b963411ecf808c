// Samples the parities of every set of differences that rolls of ring15 show
// (correctness/graveler/checks/ring15/parities.h), bit by bit, and prints those that lean.
//
// usage: ring15_parities [--windows N] [--seed S] [--bits LIST] [--of battles|neighbours|pairs]
//                        [--sampled] [--in-turn] [--taps LIST --rotations LIST]
//
// --of battles: of the battles of graveler/cuda/05_shared_masks, 16 differences each; neighbours:
// of each two that follow each other, in a round or across its end, and of each and its successor a
// round later, 28 differences; pairs: of all two of a round and of two rounds in turn. A parity
// leans when it is beyond 6 standard deviations in one sample, and beyond 4 in one of the next
// seed. (28 differences have 2^28 parities; one in two samples has one beyond 6 by chance.) Exit
// codes: 0 none leans; 1 one does; 2 bad input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "correctness/graveler/checks/ring15/parities.h"
#include "perf/support/error.h"
#include "kernels/contract/parameters.h"

namespace ratchet::graveler {
namespace {

constexpr double kSuspicious = 6, kConfirmed = 4;
constexpr std::size_t kMostLookedAtAgain = 8;

struct ParityOptions {
  std::string windows = "2^27", of = "battles", taps, rotations;
  std::vector<unsigned> bits;
  std::uint64_t seed = 1;
  bool sampled = false, in_turn = false;
};

std::vector<Scope> chosen_scopes(const ParityOptions& options) {
  const auto battles = options.in_turn ? rolls_of_words_in_turn() : rolls_of_shared_masks();
  std::vector<Scope> chosen;
  for (const Scope& scope : scopes_of(battles))
    if ((scope.battles == 1) == (options.of == "battles") &&
        (options.of != "neighbours" || scope.neighbours))
      chosen.push_back(scope);
  return chosen;
}

/// The bits of one scope; 28 differences take 1 GiB a bit, so those go one by one.
std::vector<std::vector<unsigned>> portions(std::vector<unsigned> bits, std::size_t differences) {
  if (bits.empty()) {
    bits.resize(32);
    std::iota(bits.begin(), bits.end(), 0u);
  }
  if (differences <= 16) return {bits};
  std::vector<std::vector<unsigned>> single;
  for (const unsigned bit : bits) single.push_back({bit});
  return single;
}

std::string text_of(const std::vector<WordDifference>& differences, std::uint32_t mask) {
  std::string text;
  for (std::size_t k = 0; k < differences.size(); ++k)
    if (mask >> k & 1) text += fmt::format(" {}^{}", differences[k].a, differences[k].b);
  return text;
}

/// The number of parities that lean; prints them, and the worst of each bit.
unsigned sample_scope(const RingSchedule& schedule, const Scope& scope,
                      const ParityOptions& options) {
  const bool one_battle = scope.battles == 1;
  const auto differences =
      independent_differences(one_battle ? scope.words : whole_words(scope.words));
  const Sample sample{options.seed, parse_unsigned(options.windows, "--windows")};
  unsigned leaning = 0;
  for (const auto& bits : portions(options.bits, differences.size())) {
    auto counts = count_differences(schedule, differences, bits, sample);
    double worst = 0;
    for (std::size_t i = 0; i < bits.size(); ++i)
      for (const Parity& parity :
           leaning_parities(std::move(counts[i]), kSuspicious, kMostLookedAtAgain)) {
        worst = std::max(worst, std::abs(parity.z));
        if (std::abs(parity.z) <= kSuspicious) continue;
        const double again = measure_parity(schedule, differences, parity.mask, bits[i],
                                            {options.seed + 1, sample.windows})
                                 .z;
        const bool leans = std::abs(again) > kConfirmed;
        leaning += leans;
        fmt::print("  bit {}, words{}: z = {:.1f}, again {:.1f}{}\n", bits[i],
                   text_of(differences, parity.mask), parity.z, again, leans ? ", leans" : "");
      }
    fmt::print("{}: {} differences, bits {} to {}: worst of all parities {:.2f}\n", scope.name,
               differences.size(), bits.front(), bits.back(), worst);
    std::fflush(stdout);
  }
  return leaning;
}

int sample_all(const ParityOptions& options) {
  const RingSchedule schedule =
      options.sampled ? sampled_schedule() : chosen_schedule(options.taps, options.rotations);
  fmt::print("{}\n", text_of(schedule));
  unsigned leaning = 0;
  for (const Scope& scope : chosen_scopes(options))
    leaning += sample_scope(schedule, scope, options);
  fmt::print("{} parities lean, {} windows\n", leaning, options.windows);
  return leaning == 0 ? 0 : 1;
}

}  // namespace
}  // namespace ratchet::graveler

int main(int argc, char** argv) {
  ratchet::graveler::ParityOptions options;
  CLI::App app("Parities of differences that rolls of ring15 show");
  app.add_option("--windows", options.windows, "samples, such as 2^27")->capture_default_str();
  app.add_option("--of", options.of, "rolls of what")
      ->check(CLI::IsMember({"battles", "neighbours", "pairs"}))
      ->capture_default_str();
  app.add_option("--bits", options.bits, "of the words; all 32 by default")
      ->delimiter(',')
      ->check(CLI::Range(0, 31));
  app.add_option("--seed", options.seed)->capture_default_str();
  app.add_option("--taps", options.taps, "45 numbers, separated by commas");
  app.add_option("--rotations", options.rotations, "45 numbers; 0 is a multiplication");
  app.add_flag("--sampled", options.sampled, "the taps that were shipped before");
  app.add_flag("--in-turn", options.in_turn, "seven outcome words in turn make a battle");
  try {
    app.parse(argc, argv);
    return ratchet::graveler::sample_all(options);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const ratchet::Error& error) {
    std::fprintf(stderr, "ring15_parities: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
