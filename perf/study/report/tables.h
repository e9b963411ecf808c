// The tables of a text, with published and measured columns, and the blocks of tables in pages.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "perf/output/files/markdown.h"
#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/plot_spec.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

/// Every table of the article: the published columns, then one per machine that
/// measured any of its rows. Measured figures are times for published.scale_units units or
/// throughput in the unit of published.rate, from the median throughput of the stored launches.
/// Stages that the text does not have follow, with their ratio to its best stage; then each
/// machine's stage_by_stage().
Document family_tables(const Published& published, const std::vector<Machine>& machines);

/// Its parts before and after the tables of the article.
Document introduction(const Published& published, const std::vector<Machine>& machines);
Document further_tables(const Published& published, const std::vector<Machine>& machines);

/// What each stage got on a machine: as ladder(), but the speed-up is over the stage before of the
/// same backend; of a stage of one thread, over the one before that has one. Stages as printed are
/// skipped where there is another.
Document stage_by_stage(const Published& published, const Machine& machine);

/// One ladder a machine: stage, what it has set otherwise than the machine's first stage, time or
/// throughput, share of its limit, and speed-up. The speed-up is over that first stage at the same
/// point; in brackets where that was not measured: at its own point. A stage stands for itself by
/// its own row, or by its largest point where only points of its sweep were measured. Empty when
/// the machine measured nothing of the family.
Document ladder(const Published& published, const Machine& machine);

// Each kind of table that a text has, with measured columns or rows.

/// The table with its heading, what it was published on, and its notes.
Document table_text(const Published& published, const PublishedTable& table,
                    const std::vector<Machine>& machines);

/// Kinds that have a file of their own (table_speeds.cpp): the table alone.
Document hardware_table(const Published& published, const PublishedTable& table,
                        const std::vector<Machine>& machines);
Document ratios_table(const Published& published, const PublishedTable& table,
                      const std::vector<Machine>& machines);
Document sweep_table(const Published& published, const PublishedTable& table,
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
  std::vector<RowPattern> rows = {};  ///< of a sweep: those that fill it, the best first
};

/// All of the article's, table by table. The lines of a time sink are one cell.
std::vector<MeasuredCell> measured_cells(const Published& published, const Machine& machine);

/// How many of them are filled: "58 of 61 (95 %)".
std::string filled(const std::vector<MeasuredCell>& cells);

/// Those of a hardware, ratios or sweep table.
std::vector<MeasuredCell> speed_cells(const Published& published, const PublishedTable& table,
                                      const Machine& machine);

// The page of an article.

/// An article with its figures, for a page.
struct Article {
  Published published;
  std::vector<Machine> machines;
  std::filesystem::path baselines;  ///< in a checkout, whose kernels/<family>/ has the rest
  std::string note = {};            ///< where the last of the machines, "here", is from
};

/// One HTML page without scripts (page_without_scripts() of perf/output/page/page.h). It has the
/// sections of ARTICLE.md, in the order of the article. Each has its parts, its tables, the
/// pictures that it names and the sources of its stages (StageInfo::source). All other tables,
/// pictures and stages follow under "Beyond the article". Pictures are those in pictures/ or, if
/// those are stale, drawn. Throws `Error` for a table or a stage of a section that ARTICLE.md
/// lacks.
std::string article_page(const Article& article);

}  // namespace ratchet::report
