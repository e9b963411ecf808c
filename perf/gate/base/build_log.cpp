#include "perf/gate/base/build_log.h"

#include <algorithm>
#include <fstream>

#include "perf/support/git.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

/// With files from the root of the tree, since ccache has compilers name them from the build
/// folder; and without what CMake says of --no-warn-unused-cli, behind an error on the same line.
std::string plain(std::string line) {
  static const std::string unused = "Not searching for unused variables given on the command line.";
  while (line.starts_with("../")) line.erase(0, 3);
  if (const auto at = line.find(unused); at != line.npos) line.erase(at, unused.size());
  return line;
}

}  // namespace

std::vector<std::string> last_lines(const fs::path& log, std::size_t count) {
  constexpr std::streamoff enough = 64 << 10;
  std::ifstream stream(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - enough));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (line = plain(trimmed(line)); !line.empty()) lines.push_back(line);
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return lines;
}

// What a linker says comes before its driver's "error:", and a full disk before both, which sound
// like a fault of the code. CMake says where in the first line and why in those below, which are
// indented.
std::string complaint_in(const std::vector<std::string>& lines) {
  constexpr std::size_t most_lines = 4;
  for (const char* mark :
       {"No space left on device", "undefined reference to", "cannot find -l",
        "multiple definition of", "error:", "CMake Error", "unknown target", "No rule to make"}) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find(mark) == std::string::npos) continue;
      // "ld returned 1 exit status", "linker command failed": the linker's own line stands before.
      const bool by_driver = lines[i].find("ld returned ") != std::string::npos ||
                             lines[i].find("linker command failed") != std::string::npos;
      if (by_driver && i > 0) return lines[i - 1];
      std::string found = lines[i];
      const bool by_cmake = lines[i].starts_with("CMake Error");
      for (std::size_t j = i + 1; by_cmake && j < std::min(lines.size(), i + most_lines); ++j) {
        if (!lines[j].starts_with(" ")) break;
        found += lines[j].substr(lines[j].find_first_not_of(' ') - 1);
      }
      return found;
    }
  }
  return lines.empty() ? "it printed nothing" : lines.back();
}

}  // namespace ratchet::gate
