// Builds revisions and judges them in pairs, each once; known results come from the state.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "perf/gate/bisect/bisect.h"
#include "perf/gate/bisect/search.h"
#include "perf/gate/bisect/state.h"

namespace ratchet::bisect {

/// The error of a comparison, and the tolerances of rows; other rows have the default of their
/// device.
struct Precision {
  double error = search_error;
  std::map<RowId, double> tolerances;
};

class BuildCache {
 public:
  using Say = std::function<void(const std::string&)>;
  /// Keeps references.
  BuildCache(const BisectOptions& options, State& state, Say say)
      : options_(options), state_(state), say_(std::move(say)) {}

  /// Builds a revision; returns its rows and digests, or why it does not build. Throws `Error` for
  /// other causes, such as a full disk.
  const BuildRecord& build(const Revision& revision);
  /// The same for a revision that the search needs: throws where it does not build, and does not
  /// record that, so that the next run tries again.
  const BuildRecord& build_or_throw(const Revision& revision);
  /// Adds what these rows of a built revision execute, where its digests are of the whole program.
  const BuildRecord& follow(const Revision& revision, const std::set<RowId>& rows);
  /// The program of a built revision; of a command the folder that it runs in.
  std::filesystem::path program(const Revision& revision);
  /// Judges rows of two built revisions. `purpose` distinguishes comparisons of different
  /// precision.
  std::map<RowId, Judgement> judge(const Revision& before, const Revision& now,
                                   const std::set<RowId>& rows, const std::string& purpose,
                                   const Precision& precision);

 private:
  BuildRecord describe(const Revision& revision);
  std::map<RowId, Judgement> measure(const Revision& before, const Revision& now,
                                     const std::set<RowId>& rows, const Precision& precision);

  const BisectOptions& options_;
  State& state_;
  Say say_;
  std::map<std::string, std::filesystem::path> programs_;  ///< by commit
};

}  // namespace ratchet::bisect
