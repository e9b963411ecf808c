// --device-time: a Google Benchmark program that is not rebuilt, timed by what its GPU did. The
// collector (perf/measure/collector/collector.cpp) is put into each of its launches.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "perf/support/process.h"

namespace ratchet::gate {

/// The collector beside this program or where it was installed, or what RATCHET_COLLECTOR names.
/// Throws `Error` where there is none, or another tool is to be put into programs.
std::filesystem::path find_collector();

/// The variables of a launch that collects, and leaves what it found in this file.
Environment collecting(const std::filesystem::path& collector, const std::filesystem::path& file);

/// The times of a launch's rows, in Google Benchmark's form, made those of the GPU for one call;
/// rates that the program took from its own clock are left out. A row fails, by its
/// "error_message", where the GPU's time of it is not known: see collected.h, and rows of several
/// threads, of which each has a timer, and those whose kernels are no multiple of their calls.
void put_device_time(nlohmann::json& output, const std::filesystem::path& file);

}  // namespace ratchet::gate
