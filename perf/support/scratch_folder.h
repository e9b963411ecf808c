// A folder for the files that tools exchange, gone when its owner is.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "kernels/support/error.h"

namespace ratchet::counters {

class ScratchFolder {
 public:
  /// Throws `Error` when the folder for temporary files cannot be written.
  ScratchFolder() {
    std::error_code error;
    std::string name = (std::filesystem::temp_directory_path(error) / "ratchet.XXXXXX").string();
    if (error || !mkdtemp(name.data()))
      throw Error("no folder for temporary files can be made; is TMPDIR writable?");
    path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ratchet::counters
