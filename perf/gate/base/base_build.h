// Builds another revision of the repository with the options of this build.
//
// Each revision and set of options has a folder,
// <cache>/<first 12 digits of the commit>-<8 digits of the options' hash>/:
//   tree/       the files of the revision; the build folder has the same place in it as in the
//               working tree
//   build.log   the output of git, CMake and the compiler
//   built.json  written last; a build with this file is complete and is used again
// Nothing is registered in the repository, so an interrupted run leaves nothing in it.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/row_id.h"
#include "perf/support/error.h"

namespace ratchet::gate {

struct BaseBuildOptions {
  /// CMakeCache.txt whose options are used; empty: that of the running program's build.
  std::filesystem::path like;
  /// Folder for the builds; empty: results/base in the repository. Created with a .gitignore.
  std::filesystem::path cache;
  /// Relative to the build folder; the name of the file is the name of the target.
  std::vector<std::filesystem::path> programs = {"perf/ratchet-bench"};
  std::string target;  ///< the CMake target of all programs, where it has another name
  /// Arguments of `cmake` instead of the options in `like`: "--preset", "release".
  std::vector<std::string> configure;
  /// Shell command that builds the programs, for a project without CMake. It runs in the revision's
  /// counterpart of `repository`; the programs are relative to that folder, and `like` is not read.
  std::string command;
  /// Switches of the project to turn off where `like` has them on.
  std::vector<std::string> off;
  double limit_s = 3600;  ///< timeout of configuring and of building
  /// Receives lines of progress; may be empty.
  std::function<void(const std::string&)> progress;
};

struct BaseBuild {
  std::string commit;                           ///< all 40 digits
  std::filesystem::path source;                 ///< the folder of its top CMakeLists.txt
  std::vector<std::filesystem::path> programs;  ///< absolute, in the order asked for
  std::filesystem::path log;
  bool reused = false;  ///< built by an earlier run
  double seconds = 0;   ///< that building took; next to nothing of one that is reused
};

/// The repository of a program's source, and how to build its revisions: `asked`, with `like` by
/// default the build folder that contains the program, and `programs` set to this program. Throws
/// `Error` where the program is in no build folder and `asked` names none.
struct ProgramBuild {
  std::filesystem::path repository;
  BaseBuildOptions options;
};
ProgramBuild build_of_program(const std::filesystem::path& program, const BaseBuildOptions& asked);

/// The switches of ratchet's own build that none of these rows needs. CUDA stages take most of the
/// build time, and CPU and OpenCL rows do not need them. None for no rows.
std::vector<std::string> unneeded_switches(const std::set<RowId>& rows);

/// `options` with the switches turned off that the rows do not need; unchanged where there are
/// none, or where the complete revision is built already.
BaseBuildOptions spared(const std::filesystem::path& repository, const std::string& revision,
                        BaseBuildOptions options, const std::set<RowId>& rows);

/// The revision has no program of this name, or no CMakeLists.txt.
class NoSuchProgram : public Error {
 public:
  using Error::Error;
};

/// "main (0123456789ab)"; the commit alone where the revision is a name of it by its digits.
inline std::string named_commit(const std::string& revision, const std::string& commit) {
  const std::string digits = commit.substr(0, 12);
  return commit.starts_with(revision) ? digits : revision + " (" + digits + ")";
}

/// Builds `revision` of the project in the folder `repository` (the top of a working tree, or the
/// folder in it with the CMakeLists.txt). Uncommitted changes have no effect. A concurrent second
/// call waits and uses the build of the first. An interrupted build starts again. Submodules are
/// not fetched. Throws `Error` as resolve_revision and read_build_options do. Where the revision
/// does not build, it throws "revision X does not build: <compiler's first error>; the log is ...;
/// " and what to do.
BaseBuild build_revision(const std::filesystem::path& repository, const std::string& revision,
                         const BaseBuildOptions& options);

}  // namespace ratchet::gate
