// The circumstances of a run, stored with its results: date, load, the machine's diagnosis, what
// was compared, and the commands that repeat it.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/measure/doctor/diagnosis.h"

namespace ratchet::gate {

struct Circumstances {
  std::string began;         ///< UTC (perf/support/clock.h)
  std::vector<double> load;  ///< load averages over 1, 5 and 15 minutes; empty where unknown
  std::vector<doctor::Diagnosis> machine;  ///< of `ratchet doctor`, without its noise measurement
  double seconds = 0;                      ///< wall time of the run
  double budget_s = 0;                     ///< its time budget; 0: it measured nothing
  std::string against;                     ///< "base: main (0123456789ab)", "stored baselines"
  /// Command lines by purpose ("repeat", "explain", "profile", "accept"), with "{row}" for the name
  /// of a row.
  std::map<std::string, std::string> commands;
};

/// Date, load and machine now. Takes a few milliseconds; call it before anything is launched.
Circumstances circumstances_now();

/// {"began", "load", "doctor", "seconds", "budget_s", "against", "commands"}.
nlohmann::json to_json(const Circumstances& circumstances);

/// How a gate was called.
struct GateCall {
  std::string program = "ratchet";  ///< the program, as it was called
  std::filesystem::path bench;      ///< the benchmark program
  bool explainable = true;          ///< its build has digests of what its rows execute
  std::string base;                 ///< the value of --base; empty: stored baselines
  std::filesystem::path baselines, results;
};

/// Circumstances::commands of a call. Pairs cannot be accepted, and only programs of ratchet's
/// timing library can be explained or profiled.
std::map<std::string, std::string> gate_commands(const GateCall& call);

/// `word`, quoted for a shell where needed.
std::string shell_quoted(const std::string& word);

}  // namespace ratchet::gate
