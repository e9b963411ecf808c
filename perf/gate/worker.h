// The program that measures, seen from outside: a Google Benchmark binary started once per row and
// launch, spoken to by flags, exit codes and JSON files only.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/baseline/measurements.h"

namespace ratchet::gate {

struct WorkerOptions {
  std::filesystem::path program;
  std::filesystem::path
      limits_file;  ///< passed on, so that rows carry their share of the limit; may be empty
  double launch_limit_s = 60;  ///< a launch that takes longer is killed, and its row failed
  double check_limit_s = 300;  ///< the same for the check of a stage
};

/// What the worker can run here, and what it knows but cannot, with the reason.
struct Listing {
  std::vector<std::string> rows;
  std::map<std::string, std::string> unavailable;  ///< by stage
};

struct CheckOutcome {
  bool passed = false;
  std::string detail;  ///< what failed; what was checked when it passed
  std::string line;    ///< the worker's own line, to be handed back as proof
};

/// Either a launch, or why there is none.
struct LaunchOutcome {
  std::optional<Launch> launch;
  nlohmann::json context = nlohmann::json::object();
  std::string failure;
  bool unverified = false;  ///< the failure is that nobody checked the row
  double seconds = 0;       ///< wall time of the process
};

class Worker {
 public:
  /// Throws `Error` when the program is not there or cannot be executed.
  explicit Worker(WorkerOptions options);

  /// Throws `Error` when the worker cannot even list its rows.
  Listing list() const;
  CheckOutcome check(const std::string& stage) const;
  /// `budget_s`: time for the samples. `verified_file`: the check lines so far. `scratch`: a file
  /// to write to.
  LaunchOutcome measure(const std::string& row, double budget_s,
                        const std::filesystem::path& verified_file,
                        const std::filesystem::path& scratch) const;

 private:
  WorkerOptions options_;
};

/// A filter that matches this name and no other: anchored, special characters escaped.
std::string exact_filter(const std::string& name);

}  // namespace ratchet::gate
