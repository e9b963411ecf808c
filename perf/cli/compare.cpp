#include "perf/cli/compare.h"

#include <iostream>
#include <memory>

#include "perf/gate/compare_files.h"

namespace ratchet {

void add_compare_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<gate::CompareOptions>();
  CLI::App* command = app.add_subcommand(
      "compare", "hold measured files against each other: of ratchet, or of any Google Benchmark");
  command
      ->add_option("A", options->a,
                   "the baseline: a JSON file, several with commas between, or a folder of them; "
                   "each file of a foreign program is one launch")
      ->required();
  command->add_option("B", options->b, "what is compared with it, likewise")->required();
  command->add_option("--filter", options->filter,
                      "rows to compare: the name of a row, or a regular expression");
  command
      ->add_option("--tolerance", options->tolerance,
                   "what may differ, as a share (0.03 is 3 %); otherwise 1 % on a GPU, 3 % on a "
                   "CPU, or what the row's baseline states")
      ->check(CLI::Range(1e-6, 0.999));
  command->add_flag("--cpu-time", options->cpu_time,
                    "rows without a counter for throughput: by CPU time instead of real time");
  command->add_flag("--repetitions-are-launches", options->repetitions_are_launches,
                    "take the repetitions of one process for launches; they rarely are");
  command->add_flag("--across-machines", options->across_machines,
                    "compare although the files are of different machines");
  command->add_option("--results", options->results, "folder for compare.json and summary.md");
  command->footer(
      "Exit codes: 0 pass, 1 regression, 2 a row failed, is missing, new or changed, or bad input, "
      "3 undecided.");
  command->callback([options, &exit_code] {
    exit_code = static_cast<int>(gate::run_compare(*options, std::cout));
  });
}

}  // namespace ratchet
