// What other benchmark libraries write, brought into Google Benchmark's form, which everything else
// reads.
//
//   nvbench          --json: a row a state, "<benchmark>/<axis>:<value>/..." ("/device:1" where a
//                    file holds several devices), by its mean cold GPU time, or else what of
//                    batch and CPU times it has; the device's name as gpu.model
//   cargo-criterion  --message-format=json: lines, of which every benchmark-complete is a row, by
//                    the median over its samples of time a turn
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace ratchet {

/// nvbench's output in Google Benchmark's form; nothing where `root` is something else. States that
/// were skipped become rows with an error. Throws `Error` beginning with `what` for a file of
/// nvbench's without states, and a state with no name or no time.
std::optional<nlohmann::json> from_nvbench(const nlohmann::json& root, const std::string& what);

/// The same of cargo-criterion's lines. Throws `Error` for a line that is no JSON, and a benchmark
/// without samples.
std::optional<nlohmann::json> from_criterion(std::string_view text, const std::string& what);

}  // namespace ratchet
