#include "perf/cli/tables.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/support/error.h"
#include "perf/baseline/json_file.h"
#include "perf/report/readme.h"
#include "perf/report/tables.h"

namespace ratchet {
namespace {

struct TablesOptions {
  std::string family;
  std::vector<std::filesystem::path> measured;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path readme_file = "README.md";
  bool readme = false;
  bool check = false;
};

ExitCode update_readme(const TablesOptions& options) {
  const std::string name = options.readme_file.string();
  const std::string now = read_text(options.readme_file);
  std::string wanted = now;
  for (const report::Block& block : report::readme_blocks(options.baselines))
    wanted = report::replace_block(wanted, block, name);
  if (now == wanted) {
    std::cout << name << ": the tables are up to date\n";
    return ExitCode::pass;
  }
  if (options.check) {
    std::cout << name << ": the tables are stale; run `ratchet tables --readme`\n";
    return ExitCode::regression;
  }
  write_atomically(options.readme_file, wanted);
  std::cout << name << ": the tables are written\n";
  return ExitCode::pass;
}

ExitCode run_tables(const TablesOptions& options) {
  if (options.readme) return update_readme(options);
  if (options.check) throw Error("--check goes with --readme");
  if (options.family.empty()) throw Error("name a family, such as graveler, or give --readme");
  const auto file = options.baselines / "published" / (options.family + ".json");
  if (!std::filesystem::exists(file))
    throw Error("no published figures of a family \"" + options.family + "\": there is no " +
                file.string());
  const report::Published published = report::read_published(file);
  const auto machines = report::machines_with(options.family, options.baselines, options.measured);
  std::cout << report::family_tables(published, machines);
  return ExitCode::pass;
}

}  // namespace

void add_tables_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TablesOptions>();
  CLI::App* command =
      app.add_subcommand("tables", "the tables of a text, published and measured, in Markdown");
  command->add_option("family", options->family, "whose tables to print");
  command->add_option("--measured", options->measured,
                      "results of a gate run, as a further column (repeatable)");
  command->add_option("--baseline-dir", options->baselines, "the stored baselines")
      ->capture_default_str();
  command->add_flag("--readme", options->readme, "write the tables into README.md instead");
  command->add_flag("--check", options->check, "with --readme: write nothing, exit 1 when stale");
  command->add_option("--readme-file", options->readme_file, "the file that --readme means")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_tables(*options)); });
}

}  // namespace ratchet
