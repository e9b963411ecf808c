// Each kind of table that a text has, as Markdown with measured columns or rows.
#pragma once

#include <string>
#include <vector>

#include "perf/study/report/figures/machines.h"
#include "perf/study/report/figures/published.h"

namespace ratchet::report {

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

}  // namespace ratchet::report
