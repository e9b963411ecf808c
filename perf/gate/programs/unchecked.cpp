#include "perf/gate/programs/unchecked.h"

#include <fmt/format.h>

#include <algorithm>

namespace ratchet::gate {

std::string unchecked_note(const Measurements& measured) {
  const auto count = std::count_if(measured.rows.begin(), measured.rows.end(),
                                   [](const auto& row) { return !is_verified(row.second); });
  if (count == 0) return "";
  return fmt::format(
      "Nobody checks what {} row{} compute{}: --check-cmd 'COMMAND' runs tests of your own "
      "first.\n",
      count, count == 1 ? "" : "s", count == 1 ? "s" : "");
}

void remark_on_resolution(std::vector<RowReport>& reports, const Measurements& measured) {
  for (RowReport& report : reports) {
    const auto row = measured.rows.find(report.name);
    if (row == measured.rows.end() || row->second.basis.empty()) continue;
    if (const std::string why = measures_nothing(row->second);
        !why.empty() && report.verdict != Verdict::unavailable)
      report.remarks.push_back(why);
    if (const std::string waits = misses_its_waits(row->second); !waits.empty())
      report.remarks.push_back(waits);
  }
}

}  // namespace ratchet::gate
