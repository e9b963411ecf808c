#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "correctness/tiny_mc/checks/checks.h"
#include "perf/support/error.h"

namespace ratchet::tiny_mc {
namespace {

using correctness::exact;
using correctness::TestResult;

/// The tally of a trace's photons, and the deposits in each shell.
Tally tally_of(const Trace& trace, const Medium& medium, std::vector<double>& deposits) {
  deposits.assign(medium.shells, 0);
  const Schedule schedule = schedule_of(medium);
  Tally tally(medium.shells);
  tally.photons = trace.photons;
  std::uint32_t k = 0;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round)
    for (std::uint32_t i = 0; i < schedule.rounds[round].collisions; ++i, ++k) {
      if (k >= trace.capacity) return tally;
      std::vector<std::uint64_t> count(medium.shells);
      for (std::uint64_t photon = 0; photon < trace.photons; ++photon)
        if (k < trace.of(photon).size()) {
          const std::uint32_t shell = trace.of(photon)[k].shell;
          if (shell < medium.shells) ++count[shell];
        }
      tally.add_counts(schedule.deposit(round, i), std::span<const std::uint64_t>(count));
      for (std::uint32_t shell = 0; shell < medium.shells; ++shell) deposits[shell] += count[shell];
    }
  return tally;
}

/// Largest difference of two columns, relative to the sum of the first, in units of its allowed
/// error. A deposit in the wrong shell or missing is larger.
double difference(const std::vector<double>& a, const std::vector<double>& b,
                  const std::vector<double>& allowed) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double off = std::fabs(a[i] - b[i]) / std::max(std::fabs(a[i]), 1e-12) / allowed[i];
    if (!(off <= largest)) largest = off;  // NaN stays
  }
  return largest;
}

bool same_bits(const Tally& a, const Tally& b) {
  const auto equal = [](const std::vector<double>& x, const std::vector<double>& y) {
    return x.size() == y.size() &&
           (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0);
  };
  return a.photons == b.photons && equal(a.heat, b.heat) && equal(a.heat2, b.heat2);
}

bool same_photons(const Trace& a, const Trace& b) {
  if (a.collisions != b.collisions || a.collision.size() != b.collision.size()) return false;
  for (std::uint64_t photon = 0; photon < a.photons; ++photon)
    for (std::size_t k = 0; k < a.of(photon).size(); ++k)
      if (std::memcmp(&a.of(photon)[k], &b.of(photon)[k], sizeof(Collision)) != 0) return false;
  return true;
}

TestResult refusal(const PhotonStage& stage, const std::string& name, std::uint64_t value,
                   std::uint64_t absorption = 200) {
  std::string message = "accepted";
  bool named = false;
  try {
    Parameters parameters = stage.defaults();
    parameters.set("absorption", absorption).set(name, value);
    stage.prepare(parameters);
  } catch (const Error& error) {
    message = error.what();
    named = message.find(fmt::format("{} = {}", name, value)) != message.npos;
  }
  return exact(fmt::format("refusal of {} {}", value, name), named, message);
}

}  // namespace

TestResults check_counts(const PhotonStage& stage, std::uint64_t photons) {
  return check_counts(stage, parameters_for(stage, photons, 11));
}

TestResults check_counts(const PhotonStage& stage, const Parameters& parameters) {
  const std::uint64_t photons = parameters.at("photons");
  const Medium medium = medium_of(parameters);
  const Trace trace = stage.trace(parameters, enough_capacity(medium));
  TestResults tests{exact("photons of the trace",
                          trace.photons == photons && trace.collisions.size() == photons,
                          fmt::format("{} of {} photons", trace.photons, photons))};
  const auto transport = stage.prepare_transport(parameters);
  tests.push_back(exact("units", transport->units() == photons,
                        fmt::format("{} of {} photons", transport->units(), photons)));
  transport->run();
  std::vector<double> allowed;
  const Tally first = transport->collect(), traced = tally_of(trace, medium, allowed);
  // Of heat^2 twice as much. A weight that is multiplied in floats drifts by a rounding a
  // collision.
  for (double& deposits : allowed)
    deposits = 2 * stage.rounding(parameters, deposits / std::max<double>(1, photons)) +
               6e-8 * schedule_of(medium).collisions_through(0);
  tests.push_back(exact("first run's photons", first.photons == photons,
                        fmt::format("{} of {} photons", first.photons, photons)));
  const double off = std::max(difference(traced.heat, first.heat, allowed),
                              difference(traced.heat2, first.heat2, allowed));
  tests.push_back(exact("first run's heat is that of the trace", off < 1,
                        fmt::format("{:.2g} of what rounding may do, shell by shell", off)));
  transport->run();
  const Tally second = transport->collect();
  double sum = 0;
  for (const double heat : second.heat) sum += heat;
  // A photon leaves 0.999 at least, and one in ten leaves some more.
  tests.push_back(
      exact("second run's photons",
            second.photons == photons && sum >= 0.99898 * static_cast<double>(photons),
            fmt::format("{} of {} photons, heat {:.6g}", second.photons, photons, sum)));
  return tests;
}

TestResults check_seeds(const PhotonStage& stage, std::uint64_t photons) {
  const auto tally = [&](std::uint64_t seed) {
    return run_once(stage, parameters_for(stage, photons, seed));
  };
  const auto trace = [&](std::uint64_t seed) {
    return stage.trace(parameters_for(stage, std::min<std::uint64_t>(photons, 5'000), seed), 80);
  };
  const Tally once = tally(5);
  TestResults tests;
  if (stage.repeatable() == Repeatable::yes)
    for (int again = 0; again < 3; ++again)
      tests.push_back(
          exact("same seed, same bits", same_bits(once, tally(5)), "two runs of seed 5"));
  tests.push_back(
      exact("same seed, same photons", same_photons(trace(5), trace(5)), "two traces of seed 5"));
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{6}, ~std::uint64_t{0}})
    tests.push_back(exact(fmt::format("seed {} differs", seed), !same_bits(once, tally(seed)),
                          "compared with seed 5"));
  const auto transport = stage.prepare_transport(parameters_for(stage, photons, 5));
  transport->run();
  const Tally first = transport->collect();
  transport->run();
  tests.push_back(exact("each run draws afresh", !same_bits(first, transport->collect()),
                        "two runs of one instance"));
  return tests;
}

TestResults check_refusals(const PhotonStage& stage) {
  return {refusal(stage, "photons", kMaxPhotons + 1),
          refusal(stage, "shells", 0),
          refusal(stage, "shells", kMaxShells + 1),
          refusal(stage, "absorption", 0),
          refusal(stage, "shell_um", 0),
          refusal(stage, "scattering", 10'000, 1),
          refusal(stage, "scattering", 19'999, 2),
          refusal(stage, "scattering", 1'000'001)};
}

std::uint64_t photons_for_a_check(const PhotonStage& stage) {
  // Prime to any block, vector and chunk.
  return std::min<std::uint64_t>(200'000'033, stage.defaults().at("photons") / 4 - 1);
}

Parameters parameters_for(const PhotonStage& stage, std::uint64_t photons, std::uint64_t seed) {
  return parameters_for(stage, Medium{}, photons, seed);
}

Parameters parameters_for(const PhotonStage& stage, const Medium& medium, std::uint64_t photons,
                          std::uint64_t seed) {
  const auto per_metre = [](double per_cm) {
    return static_cast<std::uint64_t>(std::llround(per_cm * 100));
  };
  Parameters parameters = stage.defaults();
  parameters.set("photons", photons)
      .set("seed", seed)
      .set("absorption", per_metre(medium.absorption_per_cm))
      .set("scattering", per_metre(medium.scattering_per_cm))
      .set("shells", medium.shells)
      .set("shell_um", static_cast<std::uint64_t>(std::llround(medium.microns_per_shell)));
  return parameters;
}

Tally run_once(const PhotonStage& stage, const Parameters& parameters) {
  const auto transport = stage.prepare_transport(parameters);
  transport->run();
  return transport->collect();
}

std::uint32_t enough_capacity(const Medium& medium) {
  return schedule_of(medium).collisions_through(12);
}

}  // namespace ratchet::tiny_mc
