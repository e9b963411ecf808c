// What the statistical checks see at the counts of tiny_mc_test.cpp: as correctness/README.md
// states it, and true.
#include <gtest/gtest.h>

#include <cmath>

#include "correctness/support/data_file.h"
#include "correctness/support/power_table.h"
#include "correctness/support/statistics.h"
#include "correctness/tiny_mc/checks/checks.h"
#include "perf/support/files.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::rejected_by;

double no_rounding(double) { return 0; }

/// What so many photons leave on average, each shell's heat `longer` times as far out as it is.
Tally ideal(const HeatLaw& law, double photons, double longer = 1) {
  Tally tally;
  tally.photons = static_cast<std::uint64_t>(photons);
  tally.heat.resize(law.medium.shells);
  tally.heat2.resize(law.medium.shells);
  for (std::size_t bin = 0; bin < law.heat.expected.size(); ++bin)
    tally.heat[law.heat.first[bin]] = photons * law.heat.expected[bin].mean;
  for (std::size_t bin = 0; bin < law.heat2.expected.size(); ++bin)
    tally.heat2[law.heat2.first[bin]] = photons * law.heat2.expected[bin].mean;
  // Pooled shells put their heat at the first of them: the difference goes to the first shell.
  double mean_shell = 0;
  for (std::size_t shell = 0; shell < tally.heat.size(); ++shell)
    mean_shell += static_cast<double>(shell) * tally.heat[shell];
  const double lacking = longer * photons * law.mean_shell.mean - mean_shell;
  tally.heat[0] -= lacking, tally.heat[1] += lacking;
  return tally;
}

TestResults seen(double photons, double longer = 1) {
  const HeatLaw& law = heat_law(Medium{});
  return check_heat(ideal(law, photons, longer), static_cast<std::uint64_t>(photons), law,
                    no_rounding);
}

TEST(TinyMcPower, IsAsTheReadmeStates) {
  const std::string table = correctness::power_table(seen(2'000'003), seen(200'000'003));
  EXPECT_NE(read_text(correctness::data_file("README.md")).find("\n" + table), std::string::npos)
      << table;
}

/// Steps longer by one part in a thousand move the mean shell by as much: a GPU's heat alone shows
/// it, whatever a trace says of the walk that is timed.
TEST(TinyMcPower, OfAStepIsWhatItSays) {
  const HeatLaw& law = heat_law(Medium{});
  for (const double photons : {2e6, 2e8}) {
    const double error = law.mean_shell.sd / std::sqrt(photons) / law.mean_shell.mean;
    const double stated = correctness::detectable_z() * error;
    EXPECT_TRUE(rejected_by(seen(photons, 1 + stated), "mean shell")) << photons;
    EXPECT_FALSE(rejected_by(seen(photons, 1 + stated / 2), "mean shell")) << photons;
  }
  EXPECT_TRUE(rejected_by(seen(2e8, 1.001), "mean shell"));
}

}  // namespace
}  // namespace ratchet::tiny_mc
