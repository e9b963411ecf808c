// `ratchet selftest`: how often the gate is wrong on this machine, by trying.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_selftest_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
