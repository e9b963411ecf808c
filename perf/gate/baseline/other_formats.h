// What other benchmark libraries write, brought into Google Benchmark's form, which everything else
// reads.
//
//   nvbench          --json: a row a state, "<benchmark>/<axis>:<value>/..." ("/device:1" where a
//                    file holds several devices), by its cold GPU time, or else what of batch and
//                    CPU times it has; the device's name as gpu.model. --jsonbin writes each sample
//                    into a file of its state's beside the JSON; such a state goes by
//                    central_mean() of these, others by the mean that nvbench gives
//   cargo-criterion  --message-format=json: lines, of which every benchmark-complete is a row, by
//                    the median over its samples of time an iteration
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ratchet {

/// nvbench's output in Google Benchmark's form, rows with "time_basis" besides, a ThroughputBasis;
/// nothing where `root` is something else. States that were skipped, have no time, or whose file of
/// samples is not as the JSON says become rows with an error. `folder` is that of the JSON; where
/// the files of samples are not, the mean is taken. Throws `Error` beginning with `what` for a file
/// of nvbench's without states, and a benchmark with no name.
std::optional<nlohmann::json> from_nvbench(const nlohmann::json& root, const std::string& what,
                                           const std::filesystem::path& folder);

/// A benchmark of nvbench's at values of its axes, as a row's name.
std::string nvbench_row(std::string benchmark,
                        const std::vector<std::pair<std::string, std::string>>& axes);

/// The mean of the middle nine tenths. GPUs stamp events by a clock of up to a microsecond a step,
/// so that short kernels take two or three different times: their median stays where it is when
/// they get a tenth slower, their mean does not. Single outliers fall into the tenth.
double central_mean(std::vector<double> values);

/// The same of cargo-criterion's lines. Throws `Error` for a line that is no JSON, and a benchmark
/// without samples.
std::optional<nlohmann::json> from_criterion(std::string_view text, const std::string& what);

}  // namespace ratchet
