// `ratchet accept`: results of a gate run become the baseline (perf/baseline/accept.h).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_accept_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
