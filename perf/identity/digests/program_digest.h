// What a program of somebody else's executes, as far as its files say: a digest of everything that
// the loader maps of it and of the libraries that it is linked with.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ratchet::counters {

/// 40 hexadecimal digits over code and data of the executable and of its shared libraries; equal
/// digests, equal programs. Not in it: notes (the build id tells debug information apart), and
/// where the files lie. Nothing where the files do not tell all that will run: of a script, and
/// where the program or a library of its opens further ones itself (runtimes of CUDA, OpenCL and
/// OpenMP do, for drivers, which are part of the machine). Throws nothing.
std::optional<std::string> program_digest(const std::filesystem::path& program);

}  // namespace ratchet::counters
