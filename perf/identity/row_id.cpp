#include "perf/identity/row_id.h"

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kernels/contract/row_filter.h"

namespace ratchet {
namespace {

/// The parts after the stage: "width:4096", "input:glider.rle".
std::vector<std::string_view> parts_of(std::string_view behind_stage) {
  std::vector<std::string_view> parts;
  while (!behind_stage.empty()) {
    behind_stage.remove_prefix(1);  // '/'
    parts.push_back(behind_stage.substr(0, behind_stage.find('/')));
    behind_stage.remove_prefix(parts.back().size());
  }
  return parts;
}

/// "width:4096".
std::optional<std::pair<std::string, std::uint64_t>> setting_in(std::string_view part) {
  const std::size_t colon = part.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const char* const end = part.data() + part.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(part.data() + colon + 1, end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return std::pair(std::string(part.substr(0, colon)), value);
}

}  // namespace

RowId::RowId(std::string text) : text_(std::move(text)), stage_end_(stage_of(text_).size()) {}

RowId::RowId(const std::string& stage, const SettingTexts& settings)
    : text_(stage), stage_end_(stage.size()) {
  for (const auto& [name, value] : settings) text_ += "/" + name + ":" + value;
}

std::string_view RowId::backend() const {
  const std::size_t first = text_.find('/');
  if (first == std::string::npos) return {};
  const std::size_t second = text_.find('/', first + 1);
  if (second == std::string::npos) return {};
  return std::string_view(text_).substr(first + 1, second - first - 1);
}

Device RowId::device() const {
  if (backend() == "cuda") return Device::gpu;
  if (backend() == "opencl") return Device::opencl;
  if (backend() == "hybrid") return Device::both;
  const bool of_gpus = std::string_view(text_).substr(0, stage_end_).ends_with("gpus");
  return backend() == "mpi" && of_gpus ? Device::gpus : Device::cpu;
}

std::optional<Settings> RowId::settings() const {
  Settings settings;
  for (const std::string_view part : parts_of(std::string_view(text_).substr(stage_end_))) {
    const auto setting = setting_in(part);
    if (!setting) return std::nullopt;
    settings.insert_or_assign(setting->first, setting->second);
  }
  return settings;
}

std::uint64_t RowId::ranks() const {
  constexpr std::uint64_t most = 9999;  // larger jobs cannot be started
  std::uint64_t ranks = 1;
  if (backend() != "mpi") return ranks;
  for (const std::string_view part : parts_of(std::string_view(text_).substr(stage_end_)))
    if (const auto setting = setting_in(part);
        setting && setting->first == "ranks" && setting->second <= most)
      ranks = setting->second;
  return ranks;
}

void to_json(nlohmann::json& value, const RowId& row) { value = row.text(); }
void from_json(const nlohmann::json& value, RowId& row) { row = value.get<std::string>(); }

std::set<RowId> select_rows(const std::set<RowId>& names, const std::string& filter) {
  const RowFilter selected(filter, {names.begin(), names.end()});
  std::set<RowId> rows;
  for (const RowId& name : names)
    if (selected.selects(name)) rows.insert(name);
  return rows;
}

std::set<RowId> select_stated(const std::set<RowId>& names, const std::string& text) {
  std::set<RowId> whole;  // without the program's name, as a filter takes it
  bool is_whole = false;
  for (const RowId& row : names) {
    const std::string name = row.text().substr(row.text().find('/') + 1);
    is_whole = is_whole || name == text;
    if (name == text || name.starts_with(text + "/")) whole.insert(row);
  }
  if (is_whole) return whole;
  std::set<RowId> rows = select_rows(names, text);
  if (text.find('/') == text.npos || text.front() == '-' ||
      text.find_first_of("^$*+?()[]{}|\\") != text.npos)
    return rows;
  std::erase_if(rows, [&](const RowId& row) {
    const std::string& name = row.text();
    bool cut = false;  // inside a part that it begins
    for (std::size_t at = name.find(text); at != name.npos; at = name.find(text, at + 1)) {
      const std::size_t end = at + text.size();
      if ((at > 0 && name[at - 1] != '/') || end == name.size() ||
          !std::isalnum(static_cast<unsigned char>(name[end])))
        return false;
      cut = true;
    }
    return cut;
  });
  return rows;
}

}  // namespace ratchet
