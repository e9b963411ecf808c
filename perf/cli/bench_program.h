// What the commands that measure have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

#include "perf/gate/run/selection.h"

namespace ratchet {

/// ratchet-bench beside this executable.
std::filesystem::path default_bench();

/// --filter and --backend.
void add_selection_options(CLI::App& command, gate::SelectionOptions& selection);

}  // namespace ratchet
