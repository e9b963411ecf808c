#include "perf/gate/rule/tolerances.h"

#include <fmt/format.h>

#include <charconv>

#include "kernels/contract/row_filter.h"
#include "perf/support/error.h"

namespace ratchet::gate {

StatedTolerance read_tolerance(const std::string& text) {
  const std::size_t equals = text.rfind('=');
  StatedTolerance stated;
  if (equals != std::string::npos) stated.rows = text.substr(0, equals);
  const std::string share = equals == std::string::npos ? text : text.substr(equals + 1);
  const char* const end = share.data() + share.size();
  const auto read = std::from_chars(share.data(), end, stated.share);
  if (read.ec != std::errc() || read.ptr != end || !(stated.share >= 0.0001) ||
      !(stated.share <= 0.9999) || (equals != std::string::npos && stated.rows.empty()))
    throw Error(
        fmt::format("tolerance \"{}\" is neither a share from 0.0001 to 0.9999, such as "
                    "0.03 for 3 %, nor ROWS=SHARE",
                    text));
  return stated;
}

std::map<std::string, double> tolerances_for(const std::vector<StatedTolerance>& stated,
                                             const std::set<std::string>& rows) {
  std::map<std::string, double> tolerances;
  for (const StatedTolerance& each : stated) {
    const std::set<std::string> selected = select_rows(rows, each.rows);
    if (selected.empty() && !rows.empty())
      throw Error(fmt::format("--tolerance {}={}: no row of this run has this name", each.rows,
                              each.share));
    for (const std::string& row : selected) tolerances[row] = each.share;
  }
  return tolerances;
}

}  // namespace ratchet::gate
