// The tables of a text, with published and measured columns, and the blocks of tables in pages.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// Every table of the article in Markdown: the published columns, then one per machine that
/// measured any of its rows. Measured figures are times for published.scale_units units or
/// throughput in the unit of published.rate, from the median throughput of the stored launches.
/// Stages that the text does not have follow, with their ratio to its best stage; then each
/// machine's stage_by_stage().
std::string family_tables(const Published& published, const std::vector<Machine>& machines);

/// What each stage got on a machine: as ladder(), but the speed-up is over the stage before of the
/// same backend; of a stage of one thread, over the one before that has one. Stages as printed are
/// skipped where there is another.
std::string stage_by_stage(const Published& published, const Machine& machine);

/// One ladder a machine: stage, what it has set otherwise than the machine's first stage, time or
/// throughput, share of its limit, and speed-up. The speed-up is over that first stage at the same
/// point; in brackets where that was not measured: at its own point. A stage stands for itself by
/// its own row, or by its largest point where only points of its sweep were measured. Empty when
/// the machine measured nothing of the family.
std::string ladder(const Published& published, const Machine& machine);

// Each kind of table that a text has, as Markdown with measured columns or rows.

/// The table with its heading, what it was published on, and its notes.
std::string table_text(const Published& published, const PublishedTable& table,
                       const std::vector<Machine>& machines);

/// Kinds that have a file of their own (table_speeds.cpp): the table alone.
std::string hardware_table(const Published& published, const PublishedTable& table,
                           const std::vector<Machine>& machines);
std::string ratios_table(const Published& published, const PublishedTable& table,
                         const std::vector<Machine>& machines);
std::string sweep_table(const Published& published, const PublishedTable& table,
                        const std::vector<Machine>& machines);

/// The rows of ladders that say how busy the device was and have settings of their own.
std::set<RowId> points_of_use(const Published& published);

/// What fills cells that show how busy the device was.
inline constexpr const char* kGpuCounters = "GPU counters";

/// A cell that a table has for each machine.
struct MeasuredCell {
  std::string place;      ///< its row and column; of measured_cells(), its table before them
  RowId stage;            ///< that fills it; empty where none does
  std::string text;       ///< "" where the machine measured nothing
  std::string from = {};  ///< in place of rows: kGpuCounters, or the title of the table
};

/// All of the article's, table by table. The lines of a time sink are one cell.
std::vector<MeasuredCell> measured_cells(const Published& published, const Machine& machine);

/// How many of them are filled: "58 of 61 (95 %)".
std::string filled(const std::vector<MeasuredCell>& cells);

/// Those of a hardware, ratios or sweep table.
std::vector<MeasuredCell> speed_cells(const Published& published, const PublishedTable& table,
                                      const Machine& machine);

// The section of a report that shows a family: its ladder on every machine, every table of its
// text, published and measured, and its plots.

/// The models (output/README.md, "tables") of all families with published figures in
/// <baselines>/published, by name; none where there is no such folder. Throws `Error` for bad
/// baselines or published figures.
nlohmann::json family_sections(const std::filesystem::path& baselines);

}  // namespace ratchet::report
