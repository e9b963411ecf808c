// `ratchet compare`: files measured before, held against each other (perf/gate/third_party/compare_files.h).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_compare_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
