// Figures of two builds that a run has to be made for: executed instructions, and the counters of a
// GPU. Each build's own `ratchet metrics` takes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::explain {

/// The programs of one build.
struct Programs {
  std::filesystem::path ratchet, bench;
};

/// A line for each figure of a stage that differs, or that it does not, or why there is none: where
/// valgrind, a GPU or the right to read its counters is missing.
std::vector<std::string> counted_differences(const Programs& before, const Programs& now,
                                             const std::string& stage);

}  // namespace ratchet::explain
