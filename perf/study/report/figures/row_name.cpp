#include "perf/study/report/figures/row_name.h"

namespace ratchet::report {

std::optional<Settings> RowPattern::match(const RowId& row) const {
  if (row.stage() != stage) return std::nullopt;
  const std::optional<Settings> named = row.settings();
  if (!named) return std::nullopt;
  for (const auto& [name, value] : *named) {
    if (!wanted.count(name) && !free.count(name)) return std::nullopt;
  }
  Settings all = defaults;
  for (const auto& [name, value] : *named) all[name] = value;
  for (const auto& [name, value] : wanted) {
    const auto found = all.find(name);
    if (found == all.end() || found->second != value) return std::nullopt;
  }
  return all;
}

}  // namespace ratchet::report
