// `ratchet list`: the stages, and whether they can run here.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_list_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
