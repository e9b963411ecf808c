// How a program of a CMake build (Ninja or Makefiles) is linked, and that link repeated.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "perf/support/process.h"

namespace ratchet {

struct LinkCommand {
  std::filesystem::path folder;    ///< in which it runs
  std::filesystem::path build;     ///< the build folder
  std::vector<std::string> words;  ///< of the shell; "-o" and the program are two of them

  /// The places in `words` of object files and static libraries, in order.
  std::vector<std::size_t> objects() const;
  /// The first word that only a shell understands; empty where there is none.
  std::string word_of_shell() const;
};

/// Throws `Error` with the reason where the program's build does not tell.
LinkCommand link_command(const std::filesystem::path& program);

/// Links the program again, as `folder`/`name`. `before`: files in `folder`, of which the i-th is
/// linked before the i-th object; may be empty. Throws `Error` where the link fails.
void link_again(const LinkCommand& command, const std::filesystem::path& folder,
                const std::string& name, const std::vector<std::string>& before = {});

}  // namespace ratchet
