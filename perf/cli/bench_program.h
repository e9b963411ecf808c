// Where the program lies that was built with this one.
#pragma once

#include <filesystem>

namespace ratchet {

/// ratchet-bench beside this executable.
std::filesystem::path default_bench();

}  // namespace ratchet
