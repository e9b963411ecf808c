// The configuration of a build, read from its CMakeCache.txt, to configure another build alike.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ratchet {

struct BuildOptions {
  std::filesystem::path source;  ///< the folder of the top CMakeLists.txt
  std::filesystem::path build;   ///< the build folder
  std::string generator;         ///< "Ninja", "Unix Makefiles"
  /// "NAME:TYPE=VALUE", sorted: build type, compilers with their launchers and flags, linker flags,
  /// CUDA architectures, and the project's own entries (its options, the packages it found).
  /// Without packages that were not found, and without paths inside `source` or `build`, which
  /// would make another revision use this one's files.
  std::vector<std::string> settings;

  /// Sets an option to OFF; returns whether the build has it and it was on.
  bool switch_off(const std::string& name);
  /// The build folder for another source tree, at the same relative place; "build" if this build is
  /// outside its source.
  std::filesystem::path build_of(const std::filesystem::path& other_source) const;
  /// 16 hexadecimal digits over generator, settings, and size and date of the compilers, so that an
  /// upgraded compiler gives another key.
  std::string key() const;
};

/// Throws `Error` naming the file if it cannot be read or is not the CMakeCache.txt of a configured
/// build.
BuildOptions read_build_options(const std::filesystem::path& cmake_cache);

/// Whether the folder of this CMakeCache.txt is not that of its options: it was copied or moved.
bool is_of_another_folder(const std::filesystem::path& cmake_cache, const BuildOptions& options);

/// The CMakeCache.txt of a program's build: the nearest one in the folders above it. Throws `Error`
/// without one, as for an installed program.
std::filesystem::path cache_of_build(const std::filesystem::path& program);
/// The same for the running program.
std::filesystem::path cache_of_this_build();

/// The revision of a program's source folder. Outside a repository it is the file "revision" that
/// ci/build wrote into the build folder, as for a build on another machine. Without a build folder,
/// the revision of the working folder, where the program lies in its repository; else "unknown".
/// Changes in the folder of the baselines change no build.
std::string built_revision(const std::filesystem::path& program,
                           const std::filesystem::path& baselines = "baselines");

}  // namespace ratchet
