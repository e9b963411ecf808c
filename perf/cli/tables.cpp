// `ratchet tables`: the tables of a text, published and measured; and those in README.md.
#include "perf/report/tables.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/support/error.h"
#include "perf/cli/commands.h"
#include "perf/report/pictures.h"
#include "perf/report/plot.h"
#include "perf/report/readme.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

struct TablesOptions {
  std::string family;
  std::vector<std::filesystem::path> measured;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path readme_file = "README.md";
  std::filesystem::path plots;
  std::filesystem::path pictures;
  bool readme = false;
  bool check = false;
};

/// Brings the blocks of one file up to date, or finds out whether they are.
bool update_file(const std::filesystem::path& file, const std::vector<report::Block>& blocks,
                 bool check) {
  const std::string now = read_text(file);
  std::string wanted = now;
  for (const report::Block& block : blocks)
    wanted = report::replace_block(wanted, block, file.string());
  if (now == wanted) {
    std::cout << file.string() << ": the tables are up to date\n";
    return true;
  }
  if (check) {
    std::cout << file.string() << ": the tables are stale; run `ratchet tables --readme`\n";
    return false;
  }
  write_atomically(file, wanted);
  std::cout << file.string() << ": the tables are written\n";
  return true;
}

ExitCode update_readme(const TablesOptions& options) {
  bool current =
      update_file(options.readme_file, report::readme_blocks(options.baselines), options.check);
  const auto kernels = options.readme_file.parent_path() / "kernels";
  for (const report::Published& published :
       report::read_all_published(options.baselines / "published")) {
    const auto story = kernels / published.family / "README.md";
    // A story need not have a ladder; one that has half of its marks is an error.
    if (!std::filesystem::exists(story) ||
        read_text(story).find("<!-- ratchet:") == std::string::npos)
      continue;
    const auto blocks = report::story_blocks(published, options.baselines);
    current = update_file(story, blocks, options.check) && current;
  }
  return current ? ExitCode::pass : ExitCode::regression;
}

ExitCode write_plots(const TablesOptions& options, const report::Published& published,
                     const std::vector<report::Machine>& machines) {
  for (const report::PlotSpec& plot : published.plots) {
    const auto series = report::plot_series(plot, machines, options.baselines);
    const auto svg = report::plot_svg(plot, series);
    if (!svg) {
      std::cout << plot.id << ": nothing is known to plot yet\n";
      continue;
    }
    const auto file = options.plots / (plot.id + ".svg");
    write_atomically(file, *svg);
    std::cout << file.string() << ": " << plot.title << "\n";
  }
  if (published.plots.empty()) std::cout << published.family << " declares no plots\n";
  return ExitCode::pass;
}

ExitCode write_pictures(const TablesOptions& options) {
  const auto pictures = report::pictures_of(options.family);
  if (pictures.empty()) throw Error("there are no pictures of \"" + options.family + "\"");
  for (const report::Picture& picture : pictures) {
    write_atomically(options.pictures / picture.name, picture.svg);
    std::cout << (options.pictures / picture.name).string() << "\n";
  }
  return ExitCode::pass;
}

ExitCode run_tables(const TablesOptions& options) {
  if (options.readme) return update_readme(options);
  if (options.check) throw Error("--check goes with --readme");
  if (options.family.empty()) throw Error("name a family, such as graveler, or give --readme");
  if (!options.pictures.empty()) return write_pictures(options);
  const auto file = options.baselines / "published" / (options.family + ".json");
  if (!std::filesystem::exists(file))
    throw Error("no published figures of a family \"" + options.family + "\": there is no " +
                file.string());
  const report::Published published = report::read_published(file);
  const auto machines = report::machines_with(options.family, options.baselines, options.measured);
  if (!options.plots.empty()) return write_plots(options, published, machines);
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
  command->add_option("--plots", options->plots,
                      "draw the family's plots, <id>.svg, into this folder instead");
  command->add_option("--pictures", options->pictures,
                      "draw the pictures of the family's data layouts into this folder instead");
  command->add_flag("--readme", options->readme,
                    "write the tables into README.md and kernels/*/README.md beside it instead");
  command->add_flag("--check", options->check, "with --readme: write nothing, exit 1 when stale");
  command->add_option("--readme-file", options->readme_file, "the file that --readme means")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_tables(*options)); });
}

}  // namespace ratchet
