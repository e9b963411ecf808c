// `ratchet gate`: see perf/gate/README.md.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_gate_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
