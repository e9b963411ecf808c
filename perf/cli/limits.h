// `ratchet limits`: what this machine can do, resource by resource (perf/limits/limits.h).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_limits_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
