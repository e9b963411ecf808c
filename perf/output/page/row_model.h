// The rows of a run in the page's data model, and the run's verdict in one sentence.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/verdict.h"
#include "perf/support/json_file.h"

namespace ratchet::report {

struct RowModel {
  nlohmann::json model;
  gate::Verdict verdict = gate::Verdict::undecided;
  std::optional<double> ratio;  ///< throughput now over before
  bool identical_work = false;
  bool seems_slower = false;     ///< undecided, and its own interval lies beyond the tolerance
  std::size_t limits_exceeded = 0;
  bool accepted = false;  ///< slower, which a commit accepts
  std::size_t slower_nodes = 0;  ///< nodes that call the row slower, where the fleet cannot decide
};

/// The model (README.md, "rows") of a row of gate.json, without its launches. Throws `Error` naming
/// the malformed place.
RowModel row_model(const RowId& name, const Node& entry);

/// Adds the medians of other counters: the time of a call by the row's clock, of the baseline too
/// if it was measured, the share of the machine peak, and units. Marks a row of a third-party
/// program.
void add_conditions(nlohmann::json& model, const Row& measured, const Row* before);

/// Sorts by verdict, then by ratio, then by name, like the terminal's table.
void sort_worst_first(std::vector<RowModel>& rows);

/// The list of the models.
nlohmann::json models_of(const std::vector<RowModel>& rows);

/// `value` rounded to `decimals` decimals, to keep files small.
double rounded(double value, int decimals);

/// {"state", "exit_code", "sentence"}: state is "pass", "regression", "failed", "undecided" or
/// "nothing" (nothing could run, or nothing was compared). `rows`: worst first. `run`: the run's
/// facts; without an exit code in them, the code of a run without options applies.
nlohmann::json verdict_of(const std::vector<RowModel>& rows, const Node& run);

}  // namespace ratchet::report
