// Counted figures of two builds, which need a run: executed instructions, and a GPU's counters.
// Each build's own `ratchet metrics` counts them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::explain {

/// The programs of one build.
struct Programs {
  std::filesystem::path ratchet, bench;
};

/// A line for each figure of a stage, or one line with the reason why there is none: valgrind, a
/// GPU or the right to read its counters is missing.
std::vector<std::string> counted_differences(const Programs& before, const Programs& now,
                                             const std::string& stage);

}  // namespace ratchet::explain
