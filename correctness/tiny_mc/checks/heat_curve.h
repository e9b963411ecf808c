// What a stage's heat looks like, shell by shell, for plots and for the story of the wrong formula.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "correctness/tiny_mc/checks/transport.h"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// Mean heat per photon in each shell of the text's medium, over runs of fresh photons. The
/// standard error comes from the differences between runs. So it holds for dependent deposits of a
/// photon, and for wrong stages, too. With R runs it is itself known to one part in sqrt(2 (R -
/// 1)).
struct HeatCurve {
  std::string stage;
  std::uint64_t photons = 0;  ///< of one run
  std::uint32_t runs = 0;
  std::uint64_t seed = 0;
  std::vector<double> heat;            ///< per photon
  std::vector<double> standard_error;  ///< of the heat
};

/// Runs `stage` `runs` times, at least twice, with `photons` photons each, 1 or more. Throws
/// `Error` when the stage cannot run here or did not simulate as many photons as it should.
HeatCurve measure_heat(const PhotonStage& stage, std::uint64_t photons, std::uint32_t runs,
                       std::uint64_t seed);

/// (heat - exact) / standard error; infinite for a difference without an error.
double z_score(const HeatCurve& curve, const OracleRow& exact);

/// Tab-separated, as the plots of perf/study read it: shell, its inner and outer radius in
/// micrometres, the exact heat; then for each curve heat per photon, in a column named as its
/// stage, its standard error, and the z-score. `oracle` has a row for every shell
/// (std::invalid_argument).
std::string heat_tsv(const std::vector<HeatCurve>& curves, const std::vector<OracleRow>& oracle);

/// One line for people: the largest z-score, how many shells are beyond 5, and where heat that
/// lies in the first shell or beyond the last belongs.
std::string heat_summary(const HeatCurve& curve, const std::vector<OracleRow>& oracle);

/// The stages whose curves heat_tsv() wrote into `text`.
std::vector<std::string> stages_in_heat_tsv(const std::string& text);

}  // namespace ratchet::tiny_mc
