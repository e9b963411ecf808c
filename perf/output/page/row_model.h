// One row of a run as the page's data model has it.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/baseline/verdict.h"
#include "perf/support/json_node.h"

namespace ratchet::report {

struct RowModel {
  nlohmann::json model;
  gate::Verdict verdict = gate::Verdict::undecided;
  std::optional<double> ratio;  ///< throughput now over before
  bool identical_work = false;
};

/// The model (README.md, "rows") of what gate.json says of a row; without its launches. Throws
/// `Error` naming the place of what is malformed.
RowModel row_model(const RowId& name, const Node& entry);

/// Adds what the launches say besides their speed: time of a call, share of the hardware limit.
void add_conditions(nlohmann::json& model, const Row& measured);

/// By verdict, then by ratio, then by name: as the terminal's table.
void sort_worst_first(std::vector<RowModel>& rows);

/// The models alone, a list.
nlohmann::json models_of(const std::vector<RowModel>& rows);

/// `value` with so many decimals, for files that are to stay small.
double rounded(double value, int decimals);

}  // namespace ratchet::report
