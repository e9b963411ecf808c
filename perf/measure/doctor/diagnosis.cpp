#include "perf/measure/doctor/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>

namespace ratchet::doctor {
namespace {

int rank(State state) { return state == State::hurts ? 0 : state == State::unknown ? 1 : 2; }

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::hurts:
      return "hurts";
    case State::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string to_table(const std::vector<Diagnosis>& diagnoses) {
  std::vector<Diagnosis> sorted = diagnoses;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnosis& a, const Diagnosis& b) {
    return rank(a.state) < rank(b.state);
  });
  std::size_t width = 5, found_width = 5;
  for (const Diagnosis& each : sorted) {
    width = std::max(width, each.check.size());
    found_width = std::max(found_width, each.found.size());
  }
  std::string text =
      fmt::format("{:{}}  {:7}  {:{}}  effect\n", "check", width, "state", "found", found_width);
  for (const Diagnosis& each : sorted)
    text += fmt::format("{:{}}  {:7}  {:{}}  {}\n", each.check, width, to_string(each.state),
                        each.found, found_width, each.effect);
  std::string fixes;
  for (const Diagnosis& each : sorted)
    if (each.state == State::hurts && !each.fix.empty())
      fixes += fmt::format("  {}: {}\n", each.check, each.fix);
  return fixes.empty() ? text : text + "\nTo fix:\n" + fixes;
}

nlohmann::ordered_json to_json(const std::vector<Diagnosis>& diagnoses) {
  auto array = nlohmann::ordered_json::array();
  for (const Diagnosis& each : diagnoses)
    array.push_back({{"check", each.check},
                     {"state", to_string(each.state)},
                     {"found", each.found},
                     {"effect", each.effect},
                     {"fix", each.fix}});
  return array;
}

}  // namespace ratchet::doctor
