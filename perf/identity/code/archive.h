// Static libraries: the object files that a linker finds in one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet::counters {

struct ObjectFile {
  std::string name;  ///< the file's; of a member "libfoo.a(bar.o)"
  std::string bytes;
};

/// The members of a static library, in its order; any other file as it is. Throws `Error` naming
/// the file when it cannot be read, or is a library that is cut off or thin.
std::vector<ObjectFile> object_files(const std::filesystem::path& path);

}  // namespace ratchet::counters
