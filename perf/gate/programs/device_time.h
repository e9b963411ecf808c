// --device-time: times the GPU's work of a Google Benchmark program without rebuilding it. The
// collector (perf/measure/collector/collector.cpp) is injected into each of its launches.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "perf/support/process.h"

namespace ratchet::gate {

/// The collector that RATCHET_COLLECTOR names, or in the folder of this program, or where it is
/// installed. Throws `Error` where there is none, or another tool uses the same injection.
std::filesystem::path find_collector();

/// The environment of a launch with the collector, which writes its results to `file`.
Environment collecting(const std::filesystem::path& collector, const std::filesystem::path& file);

/// Replaces the times of a launch's rows, in Google Benchmark's format, by the GPU time of one
/// call, and removes rates from the program's own clock. A row without a GPU time gets an
/// "error_message": see collected.h; rows of several threads, each of which has a timer; and rows
/// whose number of kernels is not a multiple of their calls.
void put_device_time(nlohmann::json& output, const std::filesystem::path& file);

}  // namespace ratchet::gate
