// The in-situ check of a tiny_mc row. Heat by shell and in sum, and the number of photons, of the
// timed run itself, are compared with exact theory. Of its 10^9 photons a missing one in 10^4
// shows.
#include <fmt/format.h>

#include "correctness/support/in_situ_result.h"
#include "correctness/tiny_mc/checks/checks.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;
using correctness::Stopwatch;

constexpr int kMostRuns = 1000;

Tally next_run(Transport& transport) {
  transport.run();
  transport.wait();
  return transport.collect();
}

/// Adds which run it was to the names.
TestResults named(TestResults tests, const std::string& run) {
  for (correctness::TestResult& test : tests) test.name += run;
  return tests;
}

/// The text's error must show at this point, too: check_heat has to reject it.
TestResults check_printed(const Tally& tally, std::uint64_t photons, const HeatLaw& law,
                          const Rounding& rounding) {
  return {exact("photons as printed", tally.photons == photons,
                fmt::format("{} of {}", tally.photons, photons)),
          exact("the printed error shows", any_rejected(check_heat(tally, photons, law, rounding)),
                "heat by shell must be refuted")};
}

InSituResult check(const TimedRow& row) {
  const auto* stage = dynamic_cast<const PhotonStage*>(&row.stage);
  auto* timed = dynamic_cast<Transport*>(&row.instance);
  if (!stage || !timed)
    return {InSituState::unchecked, "no transport that tiny_mc knows was timed"};
  if (row.run_s > row.most_s())
    return correctness::too_long("a check at this point", 2 * row.run_s);
  TestResults tests = check_timed(*stage, row.parameters, *timed, row.budget_s);
  tests.push_back(correctness::units_of_a_run(row, row.parameters.at("photons")));
  return correctness::in_situ_result(tests);
}

const InSituCheckRegistration registered("tiny_mc", check);

}  // namespace

TestResults check_timed(const PhotonStage& stage, const Parameters& parameters, Transport& timed,
                        double budget_s) {
  const Stopwatch watch;
  const std::uint64_t photons = parameters.at("photons");
  const Medium medium = medium_of(parameters);
  const HeatLaw& law = heat_law(medium);
  const Rounding rounding = rounding_of(stage, parameters);
  const Tally last = timed.collect();
  if (stage.as_printed_at(parameters)) return check_printed(last, photons, law, rounding);
  TestResults tests = named(check_heat(last, photons, law, rounding), " of the timed run");
  Tally sum = next_run(timed);
  tests.push_back(
      exact("runs differ", sum.heat != last.heat, "heat of the timed run and the next"));
  std::uint64_t runs = 1;
  for (; runs < kMostRuns && watch.seconds() < budget_s; ++runs) sum += next_run(timed);
  append(tests,
         named(check_heat(sum, runs * photons, law, rounding), fmt::format(" of {} more", runs)));
  return tests;
}

}  // namespace ratchet::tiny_mc
