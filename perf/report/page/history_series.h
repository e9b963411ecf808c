// The history of a run's rows as the page's data model has it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "perf/baseline/fingerprint.h"

namespace ratchet::report {

/// {"place", "runs": [[time, revision, mode], ...], "rows": {name: {"points": [[index of the run,
/// units per second], ...], "changes": [[index of the point, level before, level after], ...]}}} of
/// the rows of the model, worst first, measured under this fingerprint: the last runs of each, as
/// many as keep the page small and the reading short. Rows left out for that have no entry, and
/// "left_out" counts them. {"missing": why} where there is nothing.
nlohmann::json history_of_rows(const std::string& location, const Fingerprint& machine,
                               const nlohmann::json& rows);

}  // namespace ratchet::report
