#include "perf/measure/bench/verification.h"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "perf/support/error.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"

namespace ratchet::bench {
namespace {

std::uint64_t hash_file(const char* path, std::uint64_t state) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 18);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    state = quick_hash({block.data(), static_cast<std::size_t>(file.gcount())}, state);
  return state;
}

std::uint64_t build_and_boot() {
  static const std::uint64_t hash =
      hash_file("/proc/self/exe", hash_file("/proc/sys/kernel/random/boot_id", 0));
  return hash;
}

std::string point_token(const std::string& row) { return check_token("point " + row); }

std::string dump(const nlohmann::ordered_json& line) {
  // Invalid UTF-8 in a detail must not lose the line.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

std::string check_token(const std::string& stage_name) {
  return fmt::format("{:016x}", quick_hash(stage_name, build_and_boot()));
}

std::string check_line(const Stage& stage, const CheckResult& result) {
  const std::string& name = stage.info().name;
  return dump({{"name", name},
               {"passed", result.passed},
               {"detail", result.detail},
               {"token", result.passed ? check_token(name) : ""}});
}

std::string point_line(const std::string& row, const InSituResult& result) {
  const bool right = result.state == InSituState::right;
  return dump({{"row", row},
               {"state", right                                ? "right"
                         : result.state == InSituState::wrong ? "wrong"
                                                              : "unchecked"},
               {"detail", result.detail},
               {"token", right ? point_token(row) : ""}});
}

Verification::Verification(const std::string& file, bool skip) : skip_(skip) {
  if (!file.empty()) read(file);
}

void Verification::read(const std::string& file) {
  std::istringstream lines(read_text(file));
  int number = 0;
  for (std::string text; std::getline(lines, text);) {
    const std::string where = fmt::format("{}, line {}", file, ++number);
    if (text.empty()) continue;
    const nlohmann::json parsed = parse_json(text, where);
    const Node line(parsed, where);
    if (line.has("row")) {
      read_point(line);
      continue;
    }
    const std::string name = line.at("name").text();
    tokens_[name] = line.at("token").text();
    if (!line.at("passed").truth()) checked_[name] = {false, "failed in " + file};
  }
}

/// Ignores a line without a token of this build, unless it reports a wrong row.
void Verification::read_point(const Node& line) {
  const std::string row = line.at("row").text(), state = line.at("state").text();
  const std::string detail = line.at("detail").text();
  if (state == "wrong")
    points_[row] = {InSituState::wrong, detail};
  else if (state == "right" && line.at("token").text() == point_token(row))
    points_[row] = {InSituState::right, detail};
  else
    points_[row] = {InSituState::unchecked, detail};
}

std::optional<InSituResult> Verification::point(const std::string& row) const {
  const auto known = points_.find(row);
  if (known == points_.end()) return std::nullopt;
  return known->second;
}

Verified Verification::verify(const Stage& stage, std::string& detail) {
  const std::string& name = stage.info().name;
  if (const auto known = tokens_.find(name);
      known != tokens_.end() && known->second == check_token(name))
    return Verified::yes;
  auto entry = checked_.find(name);
  if (entry == checked_.end()) {
    if (skip_) return Verified::unknown;
    entry = checked_.emplace(name, quick_check(stage)).first;
  }
  detail = entry->second.detail;
  return entry->second.passed ? Verified::yes : Verified::failed;
}

}  // namespace ratchet::bench
