#include "correctness/tiny_mc/checks/oracle.h"

#include <fstream>
#include <sstream>

#include "perf/support/error.h"

namespace ratchet::tiny_mc {

std::vector<OracleRow> read_heat_oracle(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(path + ": cannot be read");
  std::vector<OracleRow> rows;
  std::string line;
  for (unsigned number = 1; std::getline(file, line); ++number) {
    if (line.empty() || line[0] == '#' || line[0] == 's') continue;
    OracleRow row;
    std::string inner, outer, z;
    std::istringstream fields(line);
    if (!(fields >> row.shell >> inner >> outer >> row.mc_heat >> row.mc_se >> row.exact_heat >>
          z >> row.sd_photon >> row.mc_heat2) ||
        row.shell != rows.size())
      throw Error(path + ":" + std::to_string(number) + ": expected a shell and its columns");
    rows.push_back(row);
  }
  if (rows.size() != 101) throw Error(path + ": 101 shells expected");
  return rows;
}

}  // namespace ratchet::tiny_mc
