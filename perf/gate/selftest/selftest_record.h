// The record of a selftest: JSON lines, first the machine and the options, then one line for each
// run.
#pragma once

#include <fstream>
#include <set>
#include <string>

#include "perf/gate/selftest/selftest.h"

namespace ratchet::gate {

/// Appends to a record; each run is on disk when add() returns. Throws `Error` naming the file when
/// it cannot be written.
class SelftestWriter {
 public:
  SelftestWriter(const SelftestOptions& options, const std::set<std::string>& rows);
  void add(const SelftestRun& run);

 private:
  void line(const nlohmann::json& value);
  std::filesystem::path file_;
  std::ofstream stream_;
};

/// "5 slower, 1 same": the number of rows of each verdict in a run.
std::string words(const SelftestRun& run);

}  // namespace ratchet::gate
