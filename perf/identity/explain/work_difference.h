// The differing pieces of a stage's code in two builds, from a walk of both in parallel, starting
// at the registration of the stage.
//
// Pieces at the same place of both walks match whatever their names, so that a name alone is not a
// difference. The references of two differing matched pieces are matched by name. Remaining pieces
// are matched by name, then by code, then by name without template arguments; the rest is new or
// gone.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/code/object_code.h"
#include "perf/identity/digests/work_digest.h"

namespace ratchet::explain {

/// A function, table or constant that differs between the sides.
struct PieceChange {
  std::optional<counters::CodeNode> before, now;  ///< one is missing if it is new or gone
  std::optional<counters::CodeNode> user;         ///< in the new build, the user of a constant
  bool timed = false;    ///< reachable from run() or wait(), not only from the preparation
  std::string launches;  ///< kernels that it launches in the new build; empty for most
};

struct WorkDifference {
  std::vector<PieceChange> pieces;  ///< in the order of the walk
  /// The reached functions of shared libraries by name, before and now.
  std::set<std::string> externals_before, externals_now;
  std::set<std::uint32_t> objects_before, objects_now;  ///< with launched kernels
  bool clock = false;                                   ///< the timing function differs
  /// The stage runs other stages, whose code is not compared.
  bool finds_others = false;
};

/// One side: its code, and the object of the stage.
struct StageCode {
  const counters::ObjectCode& code;
  std::uint32_t object = 0;
};

/// `surroundings` of either build: the caller compares the libraries.
WorkDifference work_difference(const StageCode& before, const StageCode& now,
                               const counters::Surroundings& surroundings);

}  // namespace ratchet::explain
