// `ratchet timesink`: where the time of a short CUDA program goes (perf/timing/time_sink.h).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_timesink_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
