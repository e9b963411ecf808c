// What criterion leaves of `cargo bench` in target/criterion: a folder a benchmark, in it a folder
// a run, "new" for the last one and whatever --save-baseline names, in each benchmark.json with the
// benchmark's name and sample.json with the iterations and nanoseconds of every sample.
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

/// "target/criterion", or a run of it, "target/criterion@before". Nothing where the folder has
/// *.json of its own, or none of criterion's samples below.
std::optional<CriterionFolder> criterion_folder(const std::string& argument);

/// A run's benchmarks in Google Benchmark's form, a row each, as from_criterion() makes them.
/// Throws `Error` naming the file that is malformed, or the runs that there are where this one is
/// not.
nlohmann::json from_criterion_folder(const CriterionFolder& of);

}  // namespace ratchet
