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

/// How many rows of a model are "rows", "identical", "measured" and "decided".
nlohmann::json counts_of(const std::vector<RowModel>& rows);

/// A run as its files hold it, read from them or not yet written.
struct KeptRun {
  std::filesystem::path file;                ///< gate.json or compare.json
  Measurements results;                      ///< with context.ratchet
  std::map<RowId, Row> base = {}, now = {};  ///< the launches that were compared
};

/// Reads gate.json or compare.json, and compare_base.json and compare_new.json from the same folder
/// if they exist. Throws `Error` naming the malformed file.
KeptRun read_run(const std::filesystem::path& file);

/// The model (README.md, "run") of such a run, with the rows' series in the history at `history`: a
/// file, a URL or "none". If the history cannot be read, the model says why. Fields that older
/// results lack are omitted. Throws `Error` naming the malformed place.
nlohmann::json run_section(const KeptRun& run, const std::string& history);

}  // namespace ratchet::report
