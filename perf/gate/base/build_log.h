// The log of a build: what it says last, and why the build failed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::gate {

/// The last `count` lines that are not empty, of the last 64 KiB; paths in them begin at the root of
/// the tree. None of a log that is not there.
std::vector<std::string> last_lines(const std::filesystem::path& log, std::size_t count);

/// The first error of these lines, or the last line: why a build failed.
std::string complaint_in(const std::vector<std::string>& lines);

}  // namespace ratchet::gate
