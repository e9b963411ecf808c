// The commands of the study, a file each beside this one, and what several of them share.
#pragma once

#include <string>
#include <vector>

#include "perf/cli/commands.h"

namespace ratchet {

class Parameters;
class Stage;

void add_metrics_command(CLI::App& app, int& exit_code);   ///< what is known without a clock
void add_peaks_command(CLI::App& app, int& exit_code);     ///< what this machine can do
void add_list_command(CLI::App& app, int& exit_code);      ///< the stages
void add_profile_command(CLI::App& app, int& exit_code);   ///< the Nsight command of a stage
void add_run_command(CLI::App& app, int& exit_code);       ///< long-running programs of families
void add_tables_command(CLI::App& app, int& exit_code);    ///< the tables of a text, and README's
void add_timesink_command(CLI::App& app, int& exit_code);  ///< where a CUDA program's time goes

/// Sets what `given`, words of "name=value", says. `owner` is named in errors. Throws `Error`.
void set_given(Parameters& parameters, const std::vector<std::string>& given,
               const std::string& owner);

/// The one stage that a filter selects. Throws `Error` where it selects none, or several.
const Stage& one_stage(const std::string& filter);

}  // namespace ratchet
