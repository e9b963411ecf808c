// Where the code of a stage differs between two builds, piece by piece: both are walked from what
// makes the stage, side by side.
//
// Pieces at the same place of both walks belong together whatever they are called, so that a name
// alone is no difference. Where two that belong together differ, what they refer to is told by
// name; what is left over then is found again elsewhere by its name, or by its code, or is new or
// gone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"
#include "perf/identity/digests/work_digest.h"

namespace ratchet::explain {

/// A function, table or constant that is not the same on both sides.
struct PieceChange {
  std::optional<counters::CodeNode> before, now;  ///< one is missing where it is new or gone
  std::optional<counters::CodeNode> user;         ///< in the build now, what refers to a constant
  bool timed = false;    ///< run() or wait() can reach it; else what prepares them does
  std::string launches;  ///< kernels that it launches, now; empty for most
};

struct WorkDifference {
  std::vector<PieceChange> pieces;  ///< in the order of the walk
  /// Of everything reached: functions of shared libraries by name, before and now.
  std::set<std::string> externals_before, externals_now;
  std::set<std::uint32_t> objects_before, objects_now;  ///< whose kernels are launched
  bool clock = false;  ///< the function that holds the clock differs
  /// A stage that works with others: of those nothing is known here.
  bool finds_others = false;
};

/// One side: its code, and the object of the stage.
struct StageCode {
  const counters::ObjectCode& code;
  std::uint32_t object = 0;
};

/// `surroundings` of either build: what libraries have is the caller's to compare.
WorkDifference work_difference(const StageCode& before, const StageCode& now,
                               const counters::Surroundings& surroundings);

}  // namespace ratchet::explain
