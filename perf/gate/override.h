// Slowdowns, changes of what rows do, and removed rows that a commit's message accepts: a trailer
//   Ratchet-Accept: ROWS -3 % because REASON
//   Ratchet-Accept: ROWS changed because REASON
//   Ratchet-Accept: ROWS removed because REASON
// in a commit after the base. The row stays *slower*, *changed* or *missing*, and its exit code
// passes. Which rows ROWS names does not depend on the rows of the run: the row, or the stage's
// rows, of this whole name, with or without the program or family before it; with one of
// .*+?|()[]^$\ in it also every row of which it matches a part; "all", every row. After a "-":
// every other row.
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
  std::string rows;  ///< ROWS
  AcceptedBy accepted;
};
std::vector<Override> overrides_between(const std::filesystem::path& repository,
                                        const std::string& base, const std::string& now,
                                        const std::function<void(const std::string&)>& say);

/// ROWS that names this row and no other.
std::string trailer_name(const RowId& row);

/// {"rows", "commit", "share", "reason"} and maybe "removed"; an entry of gate.json's "accepts".
nlohmann::json to_json(const Override& each);
/// Throws `Error` for anything else.
Override override_of(const Node& entry);

/// Sets RowReport::accepted of slower, changed and missing rows, and the remark; the newest commit
/// counts.
void apply_overrides(std::vector<RowReport>& reports, const std::vector<Override>& overrides);

/// A line on each that accepts none of these rows.
std::vector<std::string> overrides_without_effect(const std::vector<RowReport>& reports,
                                                  const std::vector<Override>& overrides);

}  // namespace ratchet::gate
