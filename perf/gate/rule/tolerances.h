// The tolerances that a command line states: of every row, or of those that a filter selects.
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

/// Of "0.03", every row's, or of "ROWS=0.1"; ROWS may hold further '='. Throws `Error` quoting it
/// for a share that is none, or not from 0.0001 to 0.9999.
StatedTolerance read_tolerance(const std::string& text);

/// Of each of `rows` that one of them selects; where several do, the last one's. Throws `Error`
/// naming one that selects none of them, unless there are none, and for a filter that is no regular
/// expression.
std::map<std::string, double> tolerances_for(const std::vector<StatedTolerance>& stated,
                                             const std::set<std::string>& rows);

}  // namespace ratchet::gate
