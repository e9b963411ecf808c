// Another revision of this repository, built like this build, to be measured beside it.
//
// Everything of one revision and one set of options lies in a folder of its own,
// <cache>/<first 12 digits of the commit>-<8 digits for the options>/:
//   tree/       the files of the revision, the build at the same place in it as in the working tree
//   build.log   what git, CMake and the compiler said
//   built.json  written last: the build is finished, and is used again as it is
// Nothing is registered in the repository, so nothing is left in it, however the run ends.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perf/support/error.h"

namespace ratchet::gate {

struct BaseBuildOptions {
  /// CMakeCache.txt of the build to do like; empty: the one that the running program belongs to.
  std::filesystem::path like;
  /// Folder for the builds; empty: results/base in the repository. Made, with a .gitignore.
  std::filesystem::path cache;
  /// Relative to the build folder; the name of the file is the name of the target.
  std::vector<std::filesystem::path> programs = {"perf/ratchet-bench"};
  std::string target;  ///< the target of all of them where it has another name
  /// Words for `cmake` in place of the options that `like` has: "--preset", "release".
  std::vector<std::string> configure;
  /// Builds the programs, by the shell, in the folder of the revision that answers to `repository`,
  /// where no CMake does; then they are relative to this folder, and `like` is not read.
  std::string command;
  /// Switches of the project that are to be off, where `like` has them on.
  std::vector<std::string> off;
  double limit_s = 3600;  ///< for each of configuring and building
  /// Receives lines for people; may be empty.
  std::function<void(const std::string&)> progress;
};

struct BaseBuild {
  std::string commit;                           ///< all 40 digits
  std::filesystem::path source;                 ///< the folder of its top CMakeLists.txt
  std::vector<std::filesystem::path> programs;  ///< absolute, in the order asked for
  std::filesystem::path log;
  bool reused = false;  ///< an earlier run had built it
};

/// The folder whose revisions hold the source of a program, and how to build them: `asked`, with
/// `like` where it is not set (the build folder that the program lies in) and `programs` set to
/// this one. Throws `Error` where the program lies in no build folder and `asked` names none.
struct ProgramBuild {
  std::filesystem::path repository;
  BaseBuildOptions options;
};
ProgramBuild build_of_program(const std::filesystem::path& program, const BaseBuildOptions& asked);

/// The switches of ratchet's own build that none of these rows needs on: most of the time goes into
/// the CUDA stages, which rows of CPUs and of OpenCL can do without. None for no rows.
std::vector<std::string> unneeded_switches(const std::set<std::string>& rows);

/// `options` with those of these switches off that they have on; as they are where that is none, or
/// where all of the revision is built already: then it serves.
BaseBuildOptions spared(const std::filesystem::path& repository, const std::string& revision,
                        BaseBuildOptions options, const std::set<std::string>& rows);

/// The revision builds, and has no program of this name, or nothing that builds.
class NoSuchProgram : public Error {
 public:
  using Error::Error;
};

/// Builds `revision` of the project in the folder `repository` (the top of a working tree, or the
/// folder in it that holds the CMakeLists.txt). Changes in the working tree are no obstacle and do
/// not matter. Two at once: the second waits, and uses what the first has built. An interrupted
/// build is begun anew. Submodules are not fetched. Throws `Error` (exit 2) as resolve_revision
/// and read_build_options do, and "revision X does not build: <what the compiler said>; the log is
/// ...", having shown the last lines of the log as progress.
BaseBuild build_revision(const std::filesystem::path& repository, const std::string& revision,
                         const BaseBuildOptions& options);

}  // namespace ratchet::gate
