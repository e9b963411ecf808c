#include "perf/bench/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "kernels/support/error.h"

namespace ratchet::bench {
namespace {

/// FNV-1a (Fowler, Noll, Vo) over words of eight bytes, the high half folded into the low one that
/// multiplication would never reach: plenty against accidents, and six times as fast as by bytes,
/// which every launch would wait for.
std::uint64_t hash_bytes(std::uint64_t hash, const char* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + i, std::min<std::size_t>(8, count - i));
    hash = (hash ^ word) * 0x100000001b3u;
    hash ^= hash >> 32;
  }
  return (hash ^ count) * 0x100000001b3u;
}

std::uint64_t hash_file(std::uint64_t hash, const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 18);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    hash = hash_bytes(hash, block.data(), static_cast<std::size_t>(file.gcount()));
  return hash;
}

std::uint64_t build_and_boot() {
  static const std::uint64_t hash = hash_file(hash_file(0xcbf29ce484222325u, "/proc/self/exe"),
                                              "/proc/sys/kernel/random/boot_id");
  return hash;
}

}  // namespace

std::string check_token(const std::string& stage_name) {
  return fmt::format("{:016x}", hash_bytes(build_and_boot(), stage_name.data(), stage_name.size()));
}

std::string check_line(const Stage& stage, const CheckResult& result) {
  const std::string& name = stage.info().name;
  const nlohmann::ordered_json line = {{"name", name},
                                       {"passed", result.passed},
                                       {"detail", result.detail},
                                       {"token", result.passed ? check_token(name) : ""}};
  // A detail that is not UTF-8 must not lose the line.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Verification::Verification(const std::string& file, bool skip) : skip_(skip) {
  if (!file.empty()) read(file);
}

void Verification::read(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw Error("--ratchet_verified: cannot read " + file);
  std::string text;
  for (int number = 1; std::getline(in, text); ++number) {
    if (text.empty()) continue;
    const auto line = nlohmann::json::parse(text, nullptr, false);
    const auto is_text = [&](const char* key) {
      return line.contains(key) && line[key].is_string();
    };
    if (!line.is_object() || !is_text("name") || !is_text("token"))
      throw Error("--ratchet_verified: " + file + ":" + std::to_string(number) +
                  " is not a line of --ratchet_check_only");
    tokens_[line["name"]] = line["token"];
    if (line.contains("passed") && line["passed"] == false)
      checked_[line["name"]] = {false, "failed in " + file};
  }
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
