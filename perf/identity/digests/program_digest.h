// The digest of a third-party program: of everything that the loader maps of it and of the
// libraries that it is linked with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ratchet::counters {

/// 40 hexadecimal digits over code and data of the executable and of its shared libraries; equal
/// digests mean equal programs. Excludes paths, and notes, since the build id depends on debug
/// information. Nothing if the files do not determine what runs: for a script, and if the program
/// or a library loads further libraries itself. The runtimes of CUDA, OpenCL and OpenMP may do so:
/// they load drivers, which belong to the machine. Throws nothing.
std::optional<std::string> program_digest(const std::filesystem::path& program);

}  // namespace ratchet::counters
