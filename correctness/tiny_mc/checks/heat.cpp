#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "correctness/support/statistics.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "kernels/tiny_mc/text/cuda_text_rounding.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;
using correctness::TestResult;

/// (seen - expected) in standard errors, after the share that rounding may have taken.
double z_of(double sum, double photons, const Expected& expected, double rounding) {
  const double difference = sum / photons - expected.mean;
  const double beyond = std::max(0.0, std::fabs(difference) - rounding * std::fabs(expected.mean));
  if (std::isnan(difference)) return difference;
  return beyond == 0 ? 0 : std::copysign(beyond, difference) / (expected.sd / std::sqrt(photons));
}

TestResult one_sum(const std::string& test, double sum, double photons, const Expected& expected,
                   double rounding) {
  const double error = expected.sd / std::sqrt(photons);
  return {test,
          fmt::format("{:.7g} a photon, expected {:.7g} +- {:.2g}", sum / photons, expected.mean,
                      error),
          correctness::two_sided_p(z_of(sum, photons, expected, rounding)),
          fmt::format("{:.2g} of {:.4g}", correctness::detectable_z() * error, expected.mean)};
}

std::string bin_name(const Binned& law, std::size_t bin) {
  const std::uint32_t first = law.first[bin], last = law.first[bin + 1] - 1;
  return first == last ? fmt::format("shell {}", first) : fmt::format("shells {}-{}", first, last);
}

/// The largest z-score of all bins, by Bonferroni. Not their sum of squares: one photon visits
/// several shells, so their scores are correlated; check_heat tests sums over all shells instead.
TestResult all_bins(const std::string& test, const std::vector<double>& sums, double photons,
                    const Binned& law, const Rounding& rounding) {
  double worst = 0, smallest_bias = 1;
  std::size_t at = 0;
  const double bins = static_cast<double>(law.expected.size());
  for (std::size_t bin = 0; bin < law.expected.size(); ++bin) {
    const Expected& expected = law.expected[bin];
    const double sum =
        std::accumulate(&sums[law.first[bin]], sums.data() + law.first[bin + 1], 0.0);
    const double z = z_of(sum, photons, expected, rounding(expected.deposits));
    smallest_bias = std::min(smallest_bias, expected.sd / expected.mean);
    if (std::fabs(z) <= std::fabs(worst)) continue;  // a NaN is not: it lands here and stays
    worst = z;
    at = bin;
    if (std::isnan(z)) break;
  }
  return {test,
          fmt::format("largest of {} z-scores {:.2f} at {}", law.expected.size(), worst,
                      bin_name(law, at)),
          correctness::bonferroni(correctness::two_sided_p(worst), bins),
          fmt::format("{:.2g} % of the best known shell",
                      100 * correctness::detectable_z(bins) * smallest_bias / std::sqrt(photons))};
}

/// What sums over shells may be off by: no more than the worst of their bins.
double worst_rounding(const Binned& law, const Rounding& rounding) {
  double worst = 0;
  for (const Expected& bin : law.expected) worst = std::max(worst, rounding(bin.deposits));
  return worst;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return std::isfinite(value) && value >= 0; });
}

}  // namespace

Rounding rounding_of(const PhotonStage& stage, const Parameters& parameters) {
  const bool hierarchy = parameters.has("photons_per_thread") && !stage.info().as_printed;
  return [&stage, parameters, hierarchy](double deposits) {
    const double stated = stage.rounding(parameters, deposits);
    if (!hierarchy) return stated;
    return std::min(stated, float_deposit_error(medium_of(parameters)) +
                                float_sums_bound(parameters, deposits));
  };
}

TestResults check_heat(const Tally& tally, std::uint64_t photons, const HeatLaw& law,
                       const Rounding& rounding) {
  const bool shaped =
      tally.heat.size() == law.medium.shells && tally.heat2.size() == law.medium.shells;
  TestResults tests{exact("number of photons", tally.photons == photons,
                          fmt::format("{} of {} photons", tally.photons, photons)),
                    exact("number of shells", shaped,
                          fmt::format("{} and {} of {}", tally.heat.size(), tally.heat2.size(),
                                      law.medium.shells))};
  if (!shaped || photons == 0) return tests;
  tests.push_back(exact("finite heat", all_finite(tally.heat) && all_finite(tally.heat2),
                        "every shell finite and not negative"));
  const double n = static_cast<double>(photons);
  double sum = 0, mean_shell = 0;
  for (std::uint32_t shell = 0; shell < law.medium.shells; ++shell) {
    sum += tally.heat[shell];
    mean_shell += shell * tally.heat[shell];
  }
  const double worst = worst_rounding(law.heat, rounding);
  const Rounding of_squares = [&](double deposits) { return 2 * rounding(deposits); };
  tests.push_back(one_sum("sum of heat", sum, n, law.sum, worst));
  tests.push_back(all_bins("heat squared", tally.heat2, n, law.heat2, of_squares));
  if (law.medium.shells < 2) return tests;
  tests.push_back(all_bins("heat", tally.heat, n, law.heat, rounding));
  tests.push_back(one_sum("mean shell", mean_shell, n, law.mean_shell, worst));
  return tests;
}

TestResults check_run(const PhotonStage& stage, const Medium& medium, std::uint64_t photons,
                      std::uint64_t seed) {
  const Parameters parameters = parameters_for(stage, medium, photons, seed);
  return check_heat(run_once(stage, parameters), photons, heat_law(medium),
                    rounding_of(stage, parameters));
}

}  // namespace ratchet::tiny_mc
