// `ratchet tables`: the tables of an article, published and measured; and those in the pages.
#include "perf/study/report/tables.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "kernels/contract/stage.h"
#include "perf/cli/help.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/measurements.h"
#include "perf/gate/provenance.h"
#include "perf/output/files/formats.h"
#include "perf/output/history/keep.h"
#include "perf/output/page/page.h"
#include "perf/study/cli/commands.h"
#include "perf/study/report/figures/written_number.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/study/report/readme.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

struct TablesOptions {
  std::string family;
  std::vector<std::filesystem::path> measured;
  std::filesystem::path baselines = "baselines";
  std::filesystem::path results = "results";
  std::filesystem::path readme_file = "README.md";
  std::filesystem::path plots;
  std::filesystem::path site;
  std::filesystem::path verdict;
  bool readme = false;
  bool check = false, json = false;
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
  const auto guide = options.readme_file.parent_path() / "perf" / "guide";
  const auto kernels = options.readme_file.parent_path() / "kernels";
  bool current =
      update_file(guide / "articles.md", report::articles_blocks(options.baselines), options.check);
  current = update_file(guide / "evaluation.md", report::evaluation_blocks(options.baselines),
                        options.check) &&
            current;
  for (const report::Published& published :
       report::read_all_published(options.baselines / "published")) {
    const auto blocks = report::family_blocks(published, options.baselines);
    for (const auto& page : sorted_entries(kernels / published.family)) {
      if (page.extension() != ".md") continue;
      const auto marked = report::marked_blocks(read_text(page), blocks, page.string());
      if (marked.empty()) continue;  // a page need not have tables
      current = update_file(page, marked, options.check) && current;
    }
  }
  if (const auto ranks = kernels / "support" / "ranks" / "README.md";
      std::filesystem::exists(ranks))
    current = update_file(ranks, report::ranks_blocks(options.baselines), options.check) && current;
  const auto repository = std::filesystem::absolute(options.readme_file).parent_path();
  if (!options.check)
    for (const std::string& line : report::rewrite_figures(repository, options.baselines))
      std::cout << line << "\n";
  for (const std::string& line : report::stale_figures(repository, options.baselines)) {
    std::cout << line << "\n";
    current = false;
  }
  return current ? ExitCode::pass : ExitCode::regression;
}

/// Draws into the folder of --plots; prints what was drawn, or why nothing was.
ExitCode draw_all(const std::vector<vega::Drawing>& drawings) {
  const std::string missing = vega::draw(drawings);
  for (const vega::Drawing& drawing : drawings) {
    std::filesystem::path file = drawing.file;
    if (!missing.empty()) file.replace_extension(".vl.json");
    std::cout << file.string() << ": " << drawing.spec["title"]["text"].get<std::string>() << "\n";
  }
  if (!missing.empty()) std::cerr << "ratchet: " << missing << "\n";
  return missing.empty() ? ExitCode::pass : ExitCode::nothing_ran;
}

ExitCode draw_verdict(const TablesOptions& options) {
  const auto spec = report::forest_spec(history::run_from_file(options.verdict));
  if (!spec)
    throw Error(options.verdict.string() +
                " has no row that was compared by time: nothing to draw");
  return draw_all({{options.plots / "verdict.svg", *spec}});
}

/// What was measured on this machine and not asked for by --measured: the last gate run, and what
/// `ratchet reproduce` left. Of a row that both have the newer figures count.
struct Here {
  std::optional<report::Machine> column;
  std::string sentence = {};  ///< says of which runs
};

Here measured_here(const TablesOptions& options) {
  if (!options.measured.empty()) return {};
  Here here;
  const auto folder = options.results / "reproduce";
  for (report::Machine& machine : report::machines_with(options.family, folder, {})) {
    here.column = std::move(machine);
    here.sentence = fmt::format(
        "The column \"here\" has what `ratchet reproduce` left: {}, revision {}.\n",
        folder.string(), here.column->content.context.value("ratchet.revision", "unknown"));
  }
  const auto file = options.results / "gate.json";
  if (!std::filesystem::exists(file)) return here;
  Measurements run = read_measurements(file);
  std::erase_if(run.rows, [&](const auto& row) { return row.first.family() != options.family; });
  if (run.rows.empty()) return here;
  here.sentence +=
      fmt::format("The column \"here\" {} the last run on this machine: {}, {}, revision {}.\n",
                  here.column ? "also has" : "is", file.string(),
                  run.context.value("date", "undated"), revision_of(run));
  if (!here.column) {
    here.column = {"here", std::move(run), {}, {}, {}};
    return here;
  }
  const auto reproduced = folder / "here" / (options.family + "_survey.json");
  const bool newer =
      std::filesystem::last_write_time(file) > std::filesystem::last_write_time(reproduced);
  for (const auto& [name, row] : run.rows)
    if (newer || !here.column->content.rows.contains(name)) here.column->content.rows[name] = row;
  return here;
}

report::Article article_of(TablesOptions options) {
  const auto file = published_file(options.family, options.baselines);
  report::Article article{
      report::read_published(file),
      report::machines_with(options.family, options.baselines, options.measured),
      options.baselines};
  if (!options.plots.empty()) return article;
  Here here = measured_here(options);
  article.note = here.sentence;
  if (!here.column) return article;
  article.note += fmt::format("This machine is {}.\n",
                              here.column->content.fingerprint().machine_slug(Device::both));
  article.machines.push_back(std::move(*here.column));
  return article;
}

/// The pages of all families, or of the one that is named.
void write_pages(TablesOptions options) {
  std::vector<std::filesystem::path> families = {options.family};
  if (options.family.empty()) families = sorted_entries(published_folder(options.baselines));
  for (const std::filesystem::path& family : families) {
    options.family = family.stem();
    const std::string page = report::article_page(article_of(options));
    std::filesystem::create_directories(options.site);
    write_atomically(options.site / ("article-" + options.family + ".html"), page);
  }
}

/// An index of results, which `ratchet report` left, stays.
ExitCode write_site(const TablesOptions& options) {
  write_pages(options);
  const std::vector<std::string> articles = report::article_files(options.site);
  if (articles.empty()) throw Error("there are no articles in " + options.baselines.string());
  for (const std::string& file : articles) std::cout << (options.site / file).string() << "\n";
  const auto others = std::ranges::count_if(sorted_entries(options.site), [](const auto& file) {
    return file.extension() == ".html" && !file.stem().string().starts_with("article-");
  });
  if (others <= std::filesystem::exists(options.site / "index.html"))
    report::write_site(options.site, nlohmann::json::array(),
                       gate::project_in(std::filesystem::current_path()));
  else
    std::cout << "`ratchet report -o " << options.site.string() << "/` updates the index\n";
  return ExitCode::pass;
}

/// Numbers that stand alone: those in names, and in `code`, are none.
nlohmann::json json_of(const std::string& cell) {
  static const std::regex code("`[^`]*`"),
      figure(
          "(?:^|[ (])([-+]?\\d+(?:\\.\\d+)?)(?:[*x]10\\^(-?\\d+))? ?(%|x|s|ms|us|ns)?(?=[ ,;)]|$)");
  nlohmann::json json = {{"text", cell}, {"figures", nlohmann::json::array()}};
  const std::string plain = report::plain_number_signs(std::regex_replace(cell, code, "`"));
  for (std::sregex_iterator at(plain.begin(), plain.end(), figure), end; at != end; ++at) {
    const std::string power = (*at)[2].matched ? "e" + at->str(2) : "";
    json["figures"].push_back({{"value", tidy_number(std::stod(at->str(1) + power))}});
    if ((*at)[3].matched) json["figures"].back()["unit"] = at->str(3);
  }
  return json;
}

nlohmann::json json_of(const report::Document& document) {
  nlohmann::json tables = nlohmann::json::array();
  std::string title;
  for (const report::TextBlock& block : document) {
    if (block.mark.starts_with("#")) title = block.words;
    if (block.mark != "|" || block.rows.empty()) continue;
    nlohmann::json rows = nlohmann::json::array();
    for (auto row = block.rows.begin() + 1; row != block.rows.end(); ++row) {
      rows.push_back(nlohmann::json::array());
      for (const std::string& cell : *row) rows.back().push_back(json_of(cell));
    }
    tables.push_back({{"title", title}, {"columns", block.rows.front()}, {"rows", rows}});
  }
  return tables;
}

ExitCode run_tables(const TablesOptions& options) {
  if (options.readme) return update_readme(options);
  if (options.check) throw Error("--check needs --readme");
  if (!options.verdict.empty()) return draw_verdict(options);
  if (!options.site.empty()) return write_site(options);
  if (options.family.empty())
    throw Error("tables needs a family, such as graveler, or --readme or --site");
  const report::Article article = article_of(options);
  if (!options.plots.empty())
    return draw_all(
        report::drawings_of(article.published, article.machines, article.baselines, options.plots));
  const report::Document tables = report::family_tables(article.published, article.machines);
  std::cout << markdown(tables) << (article.note.empty() ? "" : "\n" + article.note);
  if (options.json)
    print_document({{"format", 1}, {"tables", json_of(tables)}, {"note", article.note}}, 4);
  return ExitCode::pass;
}

}  // namespace

void write_article_pages(const std::filesystem::path& site, const std::filesystem::path& baselines,
                         const std::filesystem::path& results) {
  if (!std::filesystem::exists(baselines / "published")) return;
  TablesOptions options;
  options.site = site;
  options.baselines = baselines;
  options.results = results;
  write_pages(options);
}

void add_tables_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<TablesOptions>();
  CLI::App* command =
      app.add_subcommand("tables", "print the tables of an article, published and measured");
  command->add_option("FAMILY", options->family, "a family, such as graveler");
  begin_options(*command, "Print");
  command
      ->add_option("--measured", options->measured,
                   "results of gate runs or surveys, a column each; default: the last run")
      ->option_text("FILE...");
  command
      ->add_option("--results", options->results,
                   "folder of the last run: its gate.json and reproduce/ are the column \"here\"")
      ->option_text("DIR")
      ->capture_default_str();
  command->add_option("--baseline-dir", options->baselines, "folder of the baselines")
      ->option_text("DIR")
      ->capture_default_str();
  add_json_option(*command, options->json);
  begin_options(*command, "Draw instead");
  auto* plots = command
                    ->add_option("--plots", options->plots,
                                 "draw the family's plots into this folder, as SVG and Vega-Lite "
                                 "(.vl.json)")
                    ->option_text("DIR");
  command
      ->add_option("--verdict", options->verdict,
                   "with --plots: draw these results of a gate run as verdict.svg instead")
      ->option_text("FILE")
      ->needs(plots);
  begin_options(*command, "Write the pages instead");
  auto* readme = command->add_flag("--readme", options->readme,
                                   "update the tables and marked figures in all pages");
  command
      ->add_option("--site", options->site,
                   "write a page of FAMILY's article, or one of each, into the site of `ratchet "
                   "report -o DIR/`")
      ->option_text("DIR")
      ->check([](const std::string& folder) {
        const bool file = std::filesystem::path(folder).extension() == ".html";
        return file ? "a page is written into a folder, and this names a file: " + folder : "";
      })
      ->excludes(plots, readme);
  command->add_flag("--check", options->check,
                    "with --readme: write nothing; exit 1 if a page is out of date");
  for (const char* other : {"--plots", "--readme", "--site"})
    command->get_option("--json")->excludes(other);
  command
      ->add_option("--readme-file", options->readme_file,
                   "with --readme: README.md at the root of the repository")
      ->option_text("FILE")
      ->capture_default_str();
  command->footer(
      "Exit codes: 0 printed, drawn, written or up to date, 1 with --check: out of date, 2 failed, "
      "77 "
      "vl_convert is missing, so nothing was drawn.\n"
      "Example:\n"
      "  ratchet tables graveler --measured results/gate.json");
  command->callback([options, &exit_code] { exit_code = static_cast<int>(run_tables(*options)); });
}

}  // namespace ratchet
