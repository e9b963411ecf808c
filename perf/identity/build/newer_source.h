// Whether a program was built from what its sources say now.
#pragma once

#include <filesystem>

namespace ratchet {

/// A source that is newer than the program's build, which Ninja or make would build anew: one that
/// the program is made of, in its repository and outside its build folder, or a CMakeLists.txt. Of
/// a build that was configured with other options since, the file in it that holds them. Empty where there is
/// none, and where that is not known: no CMake build of these generators, no Ninja, or no answer of
/// it within two seconds.
std::filesystem::path newer_source(const std::filesystem::path& program);

}  // namespace ratchet
