// The commands of the study, one file each in this folder, and functions that several of them use.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "perf/cli/commands.h"

namespace ratchet {

class Parameters;
class Stage;

void add_metrics_command(CLI::App& app, int& exit_code);    ///< registers, spills, instructions
void add_peaks_command(CLI::App& app, int& exit_code);      ///< the peak rates of this machine
void add_list_command(CLI::App& app, int& exit_code);       ///< the stages
void add_profile_command(CLI::App& app, int& exit_code);    ///< the Nsight command of a stage
void add_reproduce_command(CLI::App& app, int& exit_code);  ///< all tables, measured here
void add_run_command(CLI::App& app, int& exit_code);        ///< long-running programs of families
void add_tables_command(CLI::App& app, int& exit_code);     ///< the tables of an article
void add_timesink_command(CLI::App& app, int& exit_code);   ///< where a CUDA program's time goes

/// Sets parameters from words "name=value". Errors name `owner`. Throws `Error`.
void set_given(Parameters& parameters, const std::vector<std::string>& given,
               const std::string& owner);

/// match_stages(), with the most similar name in the complaint.
std::vector<const Stage*> matching_stages(const std::string& filter);

/// The one stage that a filter selects. Throws `Error` if it selects none or several.
const Stage& one_stage(const std::string& filter);

/// Writes the pages of all articles in `baselines` into a site, with the column "here" from
/// `results`. Nothing where there are no published figures.
void write_article_pages(const std::filesystem::path& site, const std::filesystem::path& baselines,
                         const std::filesystem::path& results);

/// The folder of published figures, which may be absent: in `baselines`, or where its default is
/// not here, in the checkout that this program lies in; then `baselines` becomes that.
std::filesystem::path published_folder(std::filesystem::path& baselines);

/// The published figures of a family, in this folder. Throws `Error` if there are none.
std::filesystem::path published_file(const std::string& family, std::filesystem::path& baselines);

}  // namespace ratchet
