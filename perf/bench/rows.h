// What can be benchmarked: a stage at a point of its parameters.
#pragma once

#include <string>
#include <vector>

#include "kernels/stage.h"
#include "perf/bench/options.h"

namespace ratchet::bench {

struct Row {
  const Stage* stage = nullptr;
  Parameters parameters;
  /// The stage's name; then "/parameter:value" for each parameter that differs from its default, by
  /// the command line or by the sweep. The name keys baselines, so it tells the work apart.
  std::string name;
};

struct Selection {
  std::vector<Row> rows;  ///< matching rows that can run here, in the order of the registry
  /// Matching stages that cannot, as "name: reason".
  std::vector<std::string> unavailable;
};

/// Rows whose name the filter matches (Google Benchmark's rules: an ECMAScript expression found
/// anywhere, a leading '-' inverts, "" and "all" are everything). Throws Error on a malformed
/// filter, on one that matches nothing, and on a parameter that no matching stage has or that is
/// out of range.
Selection select_rows(const Options& options);

}  // namespace ratchet::bench
