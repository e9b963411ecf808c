// The cells of tables that hold measured figures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// A throughput in the text's terms: "5.370 ms" for published.scale_units units, or "23.49×10¹²" in
/// the unit of published.rate.
std::string format_speed(const Published& published, double units_per_second);

/// What format_speed's figures are: "time for 10⁹ battles", "cell updates/s".
std::string speed_header(const Published& published);

/// The name of a row or a stage with its mark: "`tiny_mc/cuda/01p_as_printed` (full walk, wrong
/// physics)"; "-" for none.
std::string stage_cell(const Published& published, const RowId& row);

/// Behind a figure of a row that was disturbed in every launch (Machine::disturbed).
inline constexpr const char* kDisturbed = " †";

/// A row's speed on a machine and, where the row carries it, the share of the hardware limit:
/// "5.370 ms (61 %)". "" when it was not measured.
std::string speed_cell(const Published& published, const Machine& machine, const RowId& row);

/// The head of a machine's column of these stages: what runs through OpenCL on its CPU says so, for
/// it stands among GPUs.
std::string machine_header(const Machine& machine, const std::vector<std::string>& stages);

/// Units of work per second of a published figure; nothing where it is no speed.
std::optional<double> published_speed(const Published& published, const Figure& figure);

/// Empty cells become "-".
void dash_empty(std::vector<std::string>& cells);

/// Whether no cell says anything.
bool all_empty(const std::vector<std::string>& cells);

}  // namespace ratchet::report
