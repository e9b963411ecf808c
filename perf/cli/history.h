// `ratchet history`: what gate runs found over time (perf/history/).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_history_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
