#include "perf/gate/baseline/verdict.h"

#include <fmt/format.h>

#include "perf/support/error.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

constexpr std::array words = {"slower",  "failed",     "unverified", "missing",
                              "changed", "new",        "undecided",  "faster",
                              "same",    "uncompared", "unavailable"};
static_assert(words.size() == static_cast<std::size_t>(Verdict::unavailable) + 1);

}  // namespace

std::string to_string(Verdict verdict) { return words.at(static_cast<std::size_t>(verdict)); }

std::optional<Verdict> parse_verdict(const std::string& word) {
  for (std::size_t i = 0; i < words.size(); ++i)
    if (word == words[i]) return static_cast<Verdict>(i);
  return std::nullopt;
}

Verdict verdict_in(const Node& entry) {
  const Node word = entry.at("verdict");
  if (const auto verdict = parse_verdict(word.text())) return *verdict;
  word.fail(
      fmt::format("\"{}\" is a verdict that this version of ratchet does not have; use the "
                  "version that wrote it",
                  printable(word.text(), 40)));
}

Verdict verdict_left(const RowId& row, const nlohmann::json& entry) {
  if (!entry.is_object() || !entry.contains("verdict") || !entry["verdict"].is_string())
    throw Error(fmt::format("the results hold no verdict of {}", row));
  const auto word = entry["verdict"].get<std::string>();
  if (const auto verdict = parse_verdict(word)) return *verdict;
  throw Error(fmt::format(
      "the verdict of {} ({}) is not one of this version of ratchet; use the version that wrote it",
      row, printable(word, 40)));
}

void to_json(nlohmann::json& value, Verdict verdict) { value = to_string(verdict); }

void from_json(const nlohmann::json& value, Verdict& verdict) {
  const auto found = parse_verdict(value.get<std::string>());
  if (!found)
    throw Error(
        fmt::format("\"{}\" is a verdict that this version of ratchet does not have; use the "
                    "version that wrote it",
                    printable(value.get<std::string>(), 40)));
  verdict = *found;
}

std::string VerdictCounts::text() const {
  std::string text;
  for (std::size_t i = 0; i < counts_.size(); ++i)
    if (counts_[i] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_[i], words[i]);
  return text;
}

}  // namespace ratchet::gate
