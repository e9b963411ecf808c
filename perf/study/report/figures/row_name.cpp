#include "perf/study/report/figures/row_name.h"

#include <charconv>

#include "perf/gate/baseline/measurements.h"

namespace ratchet::report {

std::optional<Settings> settings_of(std::string_view row_name) {
  Settings settings;
  std::string_view rest = row_name.substr(stage_of(row_name).size());
  while (!rest.empty()) {
    rest.remove_prefix(1);  // '/'
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(part.size());
    const std::size_t colon = part.find(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const char* const end = part.data() + part.size();
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(part.data() + colon + 1, end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    settings[std::string(part.substr(0, colon))] = value;
  }
  return settings;
}

std::optional<Settings> RowPattern::match(std::string_view row_name) const {
  if (stage_of(row_name) != stage) return std::nullopt;
  const std::optional<Settings> named = settings_of(row_name);
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
