// Slowdowns, and changes of what rows do, that a commit's message accepts: a trailer
//   Ratchet-Accept: ROWS -3 % because REASON
//   Ratchet-Accept: ROWS changed because REASON
// in a commit after the base. The row stays *slower* or *changed*, and its exit code passes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "perf/gate/rule/verdicts.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {

/// The trailers of the commits after `base` up to `now`, the newest first. `say` gets a line for
/// one that cannot be read; there are none where git does not know a commit.
struct Override {
  std::string rows;  ///< a filter of rows (kernels/contract/row_filter.h), without white space
  AcceptedBy accepted;
};
std::vector<Override> overrides_between(const std::filesystem::path& repository,
                                        const std::string& base, const std::string& now,
                                        const std::function<void(const std::string&)>& say);

/// {"rows", "commit", "share", "reason"}; an entry of gate.json's "accepts".
nlohmann::json to_json(const Override& each);
/// Throws `Error` for anything else.
Override override_of(const Node& entry);

/// Sets RowReport::accepted of slower and changed rows, and the remark; the newest commit counts.
void apply_overrides(std::vector<RowReport>& reports, const std::vector<Override>& overrides);

}  // namespace ratchet::gate
