// The sections of a report: the data model of each kind of results.
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

// The section of a report that shows one gate run or comparison.

/// "AMD EPYC, 2 CPUs; NVIDIA H200".
std::string machine_text(const Fingerprint& machine);

/// What the page shows of a commit: "commit", "subject", "author", "branch", "date", "build", and
/// "url" if it is a web address.
nlohmann::json shown_commit(const std::map<std::string, std::string>& facts);

/// Adds what is known of a run's origin: "time", "revision", "project", "url", "ci_run", "commits"
/// ("now", "base": shown_commit() each). `run`: has the keys of to_json(Provenance) that are known.
void add_provenance(nlohmann::json& section, const Node& run, const std::string& revision,
                    const std::string& time);

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

/// The model (README.md, "run") of a fleet.json as `ratchet gate --merge` makes it: a row has in
/// place of launches the nodes' figures. The rows' series are those of the history at
/// `history`, as run_section() takes them. Throws `Error` naming the place in `file` of what is
/// malformed.
nlohmann::json fleet_section(const nlohmann::json& merged, const std::string& file,
                             const std::string& history);

/// The model (README.md, "bisect") of the bisect.json of a finished search. Throws `Error` naming
/// the file where it is malformed, or its search is not finished.
nlohmann::json bisect_section(const std::filesystem::path& file);

/// The model (README.md, "profile") of the profile.json of `ratchet explain`. Throws `Error` naming
/// the malformed place.
nlohmann::json profile_section(const std::filesystem::path& file);

/// The model (README.md, "selftest") of a record of `ratchet selftest`. Throws `Error` naming the
/// malformed file and line.
nlohmann::json selftest_section(const std::filesystem::path& record);

/// The model (README.md, "history") of the history at `location`, an SQLite file or a PostgreSQL
/// URL: every row under every fingerprint, losses first. Throws `Error` as
/// history::open_store does.
nlohmann::json history_section(const std::string& location);

}  // namespace ratchet::report
