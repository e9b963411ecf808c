// The known games of correctness/bmn/*.tsv, read.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ratchet::bmn {

/// A row of a tab-separated table, by the names of its columns.
using OracleRow = std::map<std::string, std::string>;

/// The rows of correctness/bmn/<name>: comment lines left out, the first line left names the
/// columns (a '#' before the first name is dropped). Throws `Error` when the file is missing, empty
/// or ragged.
std::vector<OracleRow> oracle(const std::string& name);

}  // namespace ratchet::bmn
