// The results that criterion writes to target/criterion: for each benchmark a folder, with a folder
// for each run ("new" for the last one, and those that --save-baseline names). A run has
// benchmark.json with the benchmark's name, and sample.json with the iterations and nanoseconds of
// every sample.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ratchet {

struct CriterionFolder {
  std::filesystem::path folder;
  std::string run = "new";
};

/// Parses "target/criterion" or, for a run, "target/criterion@before". Nothing where the folder has
/// *.json files itself, or no samples of criterion below it.
std::optional<CriterionFolder> criterion_folder(const std::string& argument);

/// The benchmarks of a run in Google Benchmark's format, one row each (see from_criterion()).
/// Throws `Error` naming a malformed file, or, where there is no such run, the existing runs.
nlohmann::json from_criterion_folder(const CriterionFolder& of);

}  // namespace ratchet
