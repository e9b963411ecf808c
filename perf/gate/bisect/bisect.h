// `ratchet bisect GOOD BAD [ROW]`: the commit that made a row slower. guide/bisect.md says how, and
// what it promises.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>

#include "perf/gate/base/base_build.h"
#include "perf/gate/bisect/report.h"
#include "perf/gate/run/bench_program.h"
#include "perf/gate/run/run.h"
#include "perf/support/error.h"

namespace ratchet::bisect {

/// P(a wrong commit is named, or a slower row called not slower) in a whole search.
inline constexpr double search_error = 0.01;

struct BisectOptions {
  std::filesystem::path repository = ".";  ///< the project's folder in a working tree
  std::string good, bad;                   ///< revisions
  gate::RunOptions run;                    ///< its selection: the rows; its budget: of a comparison
  std::optional<double> tolerance;         ///< of every row; else the default of its device
  gate::ProgramOptions bench;              ///< limits; the file itself is of each revision's build
  gate::BaseBuildOptions build;
  std::filesystem::path results = "results";  ///< receives bisect.json
  bool anew = false;                          ///< forget what an earlier run found out
  std::string resume = {};                    ///< with `anew`: this command without --anew
  Commands commands = {};                     ///< to be shown
};

/// Searches, and reports to `out`; progress goes to `progress`. Returns `pass` if no row is slower,
/// and `regression` if a commit or a range of commits is found. Returns `undecided` if it is
/// unknown whether a row is slower. Throws `Error` for revisions that cannot be compared or do not
/// build, and for rows that neither has.
ExitCode run_bisect(const BisectOptions& options, std::ostream& out, std::ostream& progress);

}  // namespace ratchet::bisect
