// `ratchet tables`: the tables of a text, published and measured; and those in README.md.
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

void add_tables_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
