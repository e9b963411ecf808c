// `ratchet doctor`: what on this machine hurts measurement, and how to fix it.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
