// The object files in a static library, as the linker reads them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::counters {

struct ObjectFile {
  std::string name;  ///< path of the file; of a member "libfoo.a(bar.o)"
  std::string bytes;
};

/// The members of a static library in order; any other file as one member. Throws `Error` naming
/// the file if it cannot be read, or is a truncated or thin library.
std::vector<ObjectFile> object_files(const std::filesystem::path& path);

}  // namespace ratchet::counters
