// How a build was configured, read from its CMakeCache.txt, so that another one can be made alike.
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
  /// CUDA architectures, and what the project itself keeps in the cache (its options, the packages
  /// it found). Left out: what was not found, and paths inside `source` or `build`, which would
  /// lead another revision back to this one's files.
  std::vector<std::string> settings;

  /// Sets the switch to OFF; whether the build has it, and on.
  bool switch_off(const std::string& name);
  /// The build folder of a source tree elsewhere: at the same place relative to it, "build" where
  /// this one lies outside of its source.
  std::filesystem::path build_of(const std::filesystem::path& other_source) const;
  /// 16 hexadecimal digits over generator, settings, and size and date of the compilers, so that
  /// a compiler upgraded in place makes another key.
  std::string key() const;
};

/// Throws `Error` naming the file when it cannot be read or is no CMakeCache.txt of a configured
/// build.
BuildOptions read_build_options(const std::filesystem::path& cmake_cache);

/// The CMakeCache.txt of the build that a program belongs to: the nearest one in the folders above
/// it. Throws `Error` where there is none (an installed program).
std::filesystem::path cache_of_build(const std::filesystem::path& program);
/// The same for the running program.
std::filesystem::path cache_of_this_build();

/// The revision that a program was built of: that of its source folder; where this is no
/// repository (a build that was carried elsewhere), what ci/build left in the file "revision" of
/// the build folder; of a program without a build folder, that of the working folder.
std::string built_revision(const std::filesystem::path& program);

}  // namespace ratchet
