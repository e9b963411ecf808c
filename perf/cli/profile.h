// `ratchet profile STAGE`: the Nsight command that selects exactly this stage by its NVTX range.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_profile_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
