#include "perf/identity/build/build_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name, type, value;
};

/// Parses "NAME:TYPE=VALUE"; nothing for comments and other lines.
bool parse_entry(const std::string& line, Entry& entry) {
  if (line.empty() || line[0] == '#' || line[0] == '/') return false;
  const std::size_t equals = line.find('=');
  const std::size_t colon = line.rfind(':', equals);
  if (equals == std::string::npos || colon == std::string::npos) return false;
  entry = {line.substr(0, colon), line.substr(colon + 1, equals - colon - 1),
           line.substr(equals + 1)};
  return true;
}

/// CMake has about a hundred entries of its own; these are the ones that users set and that change
/// the machine code. Entries of the project are all kept.
bool is_setting(const Entry& entry) {
  static const std::regex own(
      "CMAKE_(BUILD_TYPE|TOOLCHAIN_FILE|PREFIX_PATH|SYSROOT|CUDA_ARCHITECTURES|CUDA_HOST_COMPILER|"
      "INTERPROCEDURAL_OPTIMIZATION|POSITION_INDEPENDENT_CODE|UNITY_BUILD|MAKE_PROGRAM|LINKER|"
      "(C|CXX|CUDA|ASM)_(COMPILER|COMPILER_LAUNCHER|LINKER_LAUNCHER|STANDARD|FLAGS)|"
      "(C|CXX|CUDA|ASM)_FLAGS_[A-Z]+|(EXE|SHARED|MODULE|STATIC)_LINKER_FLAGS(_[A-Z]+)?)");
  if (entry.type == "INTERNAL" || entry.type == "STATIC") return false;
  return !entry.name.starts_with("CMAKE_") || std::regex_match(entry.name, own);
}

bool lies_in(const std::string& value, const fs::path& folder) {
  return !folder.empty() && (value == folder || value.starts_with(folder.string() + "/"));
}

}  // namespace

fs::path BuildOptions::build_of(const fs::path& other_source) const {
  const fs::path relative = build.lexically_relative(source);
  const bool inside = !relative.empty() && relative != "." && *relative.begin() != "..";
  return other_source / (inside ? relative : fs::path("build"));
}

bool BuildOptions::switch_off(const std::string& name) {
  const auto found = std::find(settings.begin(), settings.end(), name + ":BOOL=ON");
  if (found == settings.end()) return false;
  *found = name + ":BOOL=OFF";
  return true;
}

std::string BuildOptions::key() const {
  std::string text = generator + "\n";
  for (const std::string& setting : settings) {
    text += setting + "\n";
    Entry entry;
    parse_entry(setting, entry);
    std::error_code error;
    const fs::path compiler = entry.value;
    if (!entry.name.ends_with("_COMPILER") || !fs::is_regular_file(compiler, error)) continue;
    text += fmt::format("{} {}\n", fs::file_size(compiler, error),
                        fs::last_write_time(compiler, error).time_since_epoch().count());
  }
  return fnv1a(text);
}

BuildOptions read_build_options(const fs::path& cmake_cache) {
  std::istringstream lines(read_text(cmake_cache));
  std::vector<Entry> entries;
  BuildOptions options;
  for (std::string line; std::getline(lines, line);) {
    Entry entry;
    if (!parse_entry(line, entry)) continue;
    if (entry.name == "CMAKE_HOME_DIRECTORY") options.source = entry.value;
    if (entry.name == "CMAKE_CACHEFILE_DIR") options.build = entry.value;
    if (entry.name == "CMAKE_GENERATOR") options.generator = entry.value;
    if (is_setting(entry)) entries.push_back(std::move(entry));
  }
  if (options.source.empty() || options.build.empty() || options.generator.empty())
    throw Error(
        fmt::format("{} is not the CMake cache of a configured build", cmake_cache.string()));
  for (const Entry& entry : entries) {
    if (entry.value.ends_with("NOTFOUND") || lies_in(entry.value, options.source) ||
        lies_in(entry.value, options.build))
      continue;
    options.settings.push_back(fmt::format("{}:{}={}", entry.name, entry.type, entry.value));
  }
  std::sort(options.settings.begin(), options.settings.end());
  return options;
}

bool is_of_another_folder(const fs::path& cmake_cache, const BuildOptions& options) {
  std::error_code error;
  return !fs::equivalent(fs::absolute(cmake_cache).parent_path(), options.build, error);
}

fs::path cache_of_build(const fs::path& program) {
  std::error_code error;
  for (fs::path folder = plain_path(program).parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (fs::is_regular_file(folder / "CMakeCache.txt", error)) return folder / "CMakeCache.txt";
  }
  throw Error(
      fmt::format("no folder above {} has a CMakeCache.txt, so it is unknown how to build another "
                  "revision; run the program from its build folder, or name that folder "
                  "(--build-dir) or the build command (--build-cmd)",
                  program.string()));
}

fs::path cache_of_this_build() { return cache_of_build(own_executable()); }

std::string built_revision(const fs::path& program, const fs::path& baselines) {
  try {
    const std::string revision =
        described_revision(read_build_options(cache_of_build(program)).source, baselines);
    if (revision != "unknown") return revision;
  } catch (const Error&) {  // no complete build folder
  }
  std::error_code error;
  for (fs::path folder = plain_path(program).parent_path(); folder.has_relative_path();
       folder = folder.parent_path())
    if (fs::is_regular_file(folder / "revision", error))
      return trimmed(read_text(folder / "revision"));
  // As it is named: the build folder of bazel is a link out of the repository.
  return lies_in(plain_path(program).string(), top_of(fs::current_path()))
             ? described_revision(fs::current_path(), baselines)
             : "unknown";
}

}  // namespace ratchet
