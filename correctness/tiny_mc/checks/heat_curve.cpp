#include "correctness/tiny_mc/checks/heat_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "perf/support/error.h"

namespace ratchet::tiny_mc {
namespace {

/// Mean and sum of squared differences, one value at a time.
struct Moments {
  double mean = 0, squares = 0;
  void add(double value, double n) {
    const double before = value - mean;
    mean += before / n;
    squares += before * (value - mean);
  }
};

void require_shells(const HeatCurve& curve, const std::vector<OracleRow>& oracle) {
  if (curve.heat.size() != oracle.size())
    throw std::invalid_argument(
        fmt::format("{} shells measured, {} known", curve.heat.size(), oracle.size()));
}

}  // namespace

HeatCurve measure_heat(const PhotonStage& stage, std::uint64_t photons, std::uint32_t runs,
                       std::uint64_t seed) {
  const std::string& name = stage.info().name;
  if (const Availability available = stage.availability(); !available.ok)
    throw Error(name + " cannot run here: " + available.reason);
  if (photons == 0 || runs < 2)
    throw Error("a heat curve needs a photon a run and two runs, so that it has an error");
  Parameters parameters = stage.defaults();
  parameters.set("photons", photons);
  parameters.set("seed", seed);
  const auto transport = stage.prepare_transport(parameters);
  std::vector<Moments> shells(medium_of(parameters).shells);
  for (std::uint32_t run = 1; run <= runs; ++run) {
    transport->run();
    const Tally tally = transport->collect();
    if (tally.photons != photons)
      throw Error(
          fmt::format("{}: {} photons simulated, {} asked for", name, tally.photons, photons));
    for (std::size_t i = 0; i < shells.size(); ++i)
      shells[i].add(tally.heat[i] / static_cast<double>(photons), run);
  }
  HeatCurve curve{name, photons, runs, seed, {}, {}};
  for (const Moments& shell : shells) {
    curve.heat.push_back(shell.mean);
    curve.standard_error.push_back(std::sqrt(shell.squares / (runs - 1.0) / runs));
  }
  return curve;
}

double z_score(const HeatCurve& curve, const OracleRow& exact) {
  const double off = curve.heat.at(exact.shell) - exact.exact_heat;
  const double error = curve.standard_error.at(exact.shell);
  if (error > 0) return off / error;
  return off == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), off);
}

std::string heat_tsv(const std::vector<HeatCurve>& curves, const std::vector<OracleRow>& oracle) {
  const double thickness = Medium().microns_per_shell;
  std::string text = "# Heat per photon in each shell\n";
  std::string header = "shell\tr_in_um\tr_out_um\texact_heat";
  for (const HeatCurve& curve : curves) {
    require_shells(curve, oracle);
    text += fmt::format("# {}: {} runs of {} photons, seed {}\n", curve.stage, curve.runs,
                        curve.photons, curve.seed);
    header += fmt::format("\t{0}\t{0} standard_error\t{0} z", curve.stage);
  }
  text += header + "\n";
  for (const OracleRow& row : oracle) {
    const bool last = row.shell + 1 == oracle.size();
    text += fmt::format("{}\t{:.0f}\t{}\t{:.9e}", row.shell, row.shell * thickness,
                        last ? "inf" : fmt::format("{:.0f}", (row.shell + 1) * thickness),
                        row.exact_heat);
    for (const HeatCurve& curve : curves)
      text += fmt::format("\t{:.9e}\t{:.3e}\t{:+.2f}", curve.heat[row.shell],
                          curve.standard_error[row.shell], z_score(curve, row));
    text += "\n";
  }
  return text;
}

std::vector<std::string> stages_in_heat_tsv(const std::string& text) {
  std::vector<std::string> stages;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const auto colon = line.find(':'); line.starts_with("# ") && colon != std::string::npos)
      stages.push_back(line.substr(2, colon - 2));
  }
  return stages;
}

std::string heat_summary(const HeatCurve& curve, const std::vector<OracleRow>& oracle) {
  require_shells(curve, oracle);
  const OracleRow* worst = &oracle.front();
  int beyond = 0;
  double sum = 0;
  for (const OracleRow& row : oracle) {
    const double z = std::abs(z_score(curve, row));
    if (z > std::abs(z_score(curve, *worst))) worst = &row;
    beyond += z > 5;
    sum += curve.heat[row.shell];
  }
  const auto percent = [](double share) { return 100 * share; };
  return fmt::format(
      "{}: {} photons; z = {:+.1f} in shell {} at worst, {} of {} shells beyond 5; "
      "{:.2f} % of the heat in the first shell and {:.2f} % beyond the last, where {:.2f} % and "
      "{:.2f} % belong; {:.6f} in all",
      curve.stage, curve.photons * curve.runs, z_score(curve, *worst), worst->shell, beyond,
      oracle.size(), percent(curve.heat.front() / sum), percent(curve.heat.back() / sum),
      percent(oracle.front().exact_heat), percent(oracle.back().exact_heat), sum);
}

}  // namespace ratchet::tiny_mc
