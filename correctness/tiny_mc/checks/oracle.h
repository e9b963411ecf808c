// The oracle correctness/tiny_mc/oracles/heat_reference.tsv: exact transport theory beside 3.2e8
// photons in double precision, made apart from this repository.
#pragma once

#include <string>
#include <vector>

namespace ratchet::tiny_mc {

/// One shell of the text's medium; all per photon.
struct OracleRow {
  unsigned shell = 0;
  double mc_heat = 0, mc_se = 0;  ///< simulated, and its standard error
  double exact_heat = 0;
  double sd_photon = 0;  ///< standard deviation of one photon's heat
  double mc_heat2 = 0;   ///< simulated sum of squares of single deposits
};

/// Reads the oracle: 101 lines, shell = 0..100. Throws `Error` naming file and line when it cannot.
std::vector<OracleRow> read_heat_oracle(const std::string& path);

}  // namespace ratchet::tiny_mc
