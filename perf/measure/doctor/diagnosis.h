// One finding of `ratchet doctor`.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ratchet::doctor {

enum class State {
  ok,       ///< does not disturb measurement, or little and unavoidably
  hurts,    ///< makes times vary, or hides facts that a verdict needs
  unknown,  ///< not visible on this system
};
/// "ok", "hurts" or "unknown".
std::string_view to_string(State state);

struct Diagnosis {
  std::string check;  ///< "frequency governor"; unique within a report
  State state = State::unknown;
  std::string found;   ///< the observation: "powersave on 8 of 8 CPUs"
  std::string effect;  ///< on measurements
  std::string fix;     ///< a command or an advice; empty if there is none
};

/// A table as text: first what hurts, then what is unknown, then what is ok; fixes below it.
std::string to_table(const std::vector<Diagnosis>& diagnoses);
/// [{"check", "state", "found", "effect", "fix"}, ...], in the order given.
nlohmann::ordered_json to_json(const std::vector<Diagnosis>& diagnoses);

}  // namespace ratchet::doctor
