// The section of a report that shows one gate run or comparison.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/output/page/row_model.h"

namespace ratchet::report {

/// "AMD EPYC, 2 CPUs; NVIDIA H200".
std::string machine_text(const Fingerprint& machine);

/// {"rows", "identical", "measured", "decided"} of the rows of a model: how many.
nlohmann::json counts_of(const std::vector<RowModel>& rows);

/// A run as it is kept: what its files hold, read from them or not yet written.
struct KeptRun {
  std::filesystem::path file;  ///< gate.json or compare.json
  Measurements results;        ///< with context.ratchet
  std::map<RowId, Row> base = {}, now = {};  ///< the launches that were compared
};

/// What gate.json or compare.json, and compare_base.json and compare_new.json beside it where they
/// are there, hold. Throws `Error` naming the file that is malformed.
KeptRun read_run(const std::filesystem::path& file);

/// The model (README.md, "run") of such a run, and the rows' series in the history at `history` (a
/// file or URL; "none" or what cannot be read: none, and why). Results of before a field was kept
/// lack it. Throws `Error` naming what is malformed.
nlohmann::json run_section(const KeptRun& run, const std::string& history);

}  // namespace ratchet::report
