// Under what circumstances a run was made: when, beside what load, on a machine with what faults,
// held against what, and how it is called again. Kept with the results, for whoever reads them
// later.
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
  std::vector<double> load;  ///< averages over 1, 5 and 15 minutes before; empty where unknown
  std::vector<doctor::Diagnosis>
      machine;          ///< of `ratchet doctor`, without its measurement of noise
  double seconds = 0;   ///< that the run took
  double budget_s = 0;  ///< that it might take; 0: it measured nothing
  std::string against;  ///< "base: main (0123456789ab)", "stored baselines"
  /// Command lines by purpose ("repeat", "explain", "profile", "accept"), "{row}" in the place of a
  /// row's name.
  std::map<std::string, std::string> commands;
};

/// Time, load and machine as they are now: a few milliseconds, before anything is launched.
Circumstances circumstances_now();

/// {"began", "load", "doctor", "seconds", "budget_s", "against", "commands"}.
nlohmann::json to_json(const Circumstances& circumstances);

/// How a gate was called.
struct GateCall {
  std::string program = "ratchet";  ///< that was called
  std::filesystem::path bench;      ///< what it measured
  bool explainable = true;          ///< its build tells what its rows execute
  std::string base;                 ///< the revision asked for; empty: against stored baselines
  std::filesystem::path baselines, results;
};

/// Circumstances::commands of such a call; pairs cannot be accepted, and only programs of ratchet's
/// making can be explained or profiled.
std::map<std::string, std::string> gate_commands(const GateCall& call);

/// `word` as a shell reads it back.
std::string shell_quoted(const std::string& word);

}  // namespace ratchet::gate
