// `ratchet evidence`: what is known of this build without a clock (perf/counters/README.md).
#pragma once

#include <CLI/CLI.hpp>

namespace ratchet {

/// Also adds the hidden command that counts one CPU stage inside a process of its own.
void add_evidence_command(CLI::App& app, int& exit_code);

}  // namespace ratchet
