// What `ratchet doctor` says of one thing on this machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::doctor {

enum class State {
  ok,       ///< does not hurt measurement, or cannot be helped and does little
  hurts,    ///< makes times wander, or hides what a verdict needs
  unknown,  ///< this system does not tell
};
/// "ok", "hurts" or "unknown".
std::string_view to_string(State state);

struct Diagnosis {
  std::string check;  ///< "frequency governor"; unique within a report
  State state = State::unknown;
  std::string found;   ///< what was seen: "powersave on 8 of 8 CPUs"
  std::string effect;  ///< what that does to measurements
  std::string fix;     ///< a command or an advice; empty where there is nothing to do
};

/// A table for people: what hurts first, then what is unknown, then what is fine; fixes below it.
std::string to_table(const std::vector<Diagnosis>& diagnoses);
/// [{"check", "state", "found", "effect", "fix"}, ...], in the order given.
nlohmann::ordered_json to_json(const std::vector<Diagnosis>& diagnoses);

}  // namespace ratchet::doctor
