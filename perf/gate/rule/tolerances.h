// Tolerances from the command line, for every row or for those that a filter selects.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ratchet::gate {

struct StatedTolerance {
  std::string rows;  ///< a filter (kernels/contract/row_filter.h); empty: every row
  double share = 0;  ///< relative: 0.03 is 3 %
};

/// Parses "0.03" or "ROWS=0.1"; ROWS may contain '='. Throws `Error` quoting the text for anything
/// that is not a number from 0.0001 to 0.9999.
StatedTolerance read_tolerance(const std::string& text);

/// The tolerance of each of `rows` that is selected; the last one that selects a row counts. Throws
/// `Error` for a filter that selects none of the rows, unless there are no rows, and for a filter
/// that is not a regular expression.
std::map<std::string, double> tolerances_for(const std::vector<StatedTolerance>& stated,
                                             const std::set<std::string>& rows);

}  // namespace ratchet::gate
