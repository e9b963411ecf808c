#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <regex>
#include <utility>

#include "kernels/contract/stage.h"
#include "perf/output/page/page.h"
#include "perf/study/report/figures/cells.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/study/report/tables.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;

/// A section of the article: its headings, its parts, and what follows as HTML.
struct Section {
  std::vector<std::string> headings;
  TextBlock parts = {"|", "", {{"the article", "here"}}};
  std::string content = {};
};

bool are_parts(const TextBlock& block) {
  return block.mark == "|" && block.rows[0] == Section{}.parts.rows[0];
}

/// A row that begins a section begins with its headings: "**A**, **B**: ".
std::vector<Section> sections_of(const TextBlock& parts, const fs::path& file) {
  static const std::regex heading(R"(\*\*(.+?)\*\*(: |, (?=\*\*)))");
  std::vector<Section> sections;
  for (std::size_t i = 1; i < parts.rows.size(); ++i) {
    std::vector<std::string> row = parts.rows[i], headings;
    for (std::smatch found;
         std::regex_search(row[0], found, heading, std::regex_constants::match_continuous);
         row[0] = std::string(found.suffix()))
      headings.push_back(found[1]);
    if (!headings.empty() && (sections.empty() || sections.back().headings != headings))
      sections.push_back({std::move(headings)});
    if (sections.empty() || row.size() != 2)
      throw Error(
          fmt::format("{}: the row \"{}\" stands in no section; write | **Section**: part "
                      "| where it is here |",
                      file.string(), row[0]));
    sections.back().parts.rows.push_back(std::move(row));
  }
  return sections;
}

class Page {
 public:
  explicit Page(const Article& article)
      : article_(article),
        published_(article.published),
        kernels_(fs::absolute(article.baselines).lexically_normal().parent_path() / "kernels" /
                 published_.family),
        file_(kernels_ / "ARTICLE.md") {
    if (fs::exists(file_)) text_ = read_markdown(read_text(file_));
    for (const TextBlock& block : text_) {
      if (are_parts(block)) sections_ = sections_of(block, file_);
      if (block.mark.starts_with("##")) links_['"' + block.words + '"'] = "#" + anchor(block.words);
    }
    sections_.push_back({{"What the article does not have"}});
    read_stages();
    place_tables();
    place_pictures();
    place_stages();
  }

  std::string html() const {
    const std::string title = published_.family + ": " + published_.title;
    Document head = {
        {"# ", title},
        {"", fmt::format("{}, [{}]({})", published_.author, published_.source, published_.source)},
        {"", fmt::format("Problem: {}. Counted: {}. Right means: {}.", published_.about.problem,
                         published_.about.work, published_.about.right)}};
    head += introduction(published_, article_.machines);
    if (!article_.note.empty()) head.push_back({"", article_.note});
    std::string body, contents;
    const auto add = [&](const Section& section) {
      Document shown = {{"## ", fmt::format("{}", fmt::join(section.headings, ", "))}};
      if (section.parts.rows.size() > 1) shown.push_back(section.parts);
      body += report::html(shown, links_, "", "section-") + section.content;
    };
    Document prose;
    for (const TextBlock& block : text_) {
      if (!are_parts(block)) {
        if (block.mark != "# ") prose.push_back(block);
        continue;
      }
      body += report::html(std::exchange(prose, {}), links_, title);
      std::for_each(sections_.begin(), sections_.end() - 1, add);
    }
    body += report::html(prose, links_, title);
    add(sections_.back());
    const std::string heading = "<h2 id=\"";
    for (std::size_t at = body.find(heading); at != body.npos; at = body.find(heading, at + 1))
      contents +=
          "<li><a href=\"#" + body.substr(at + 8, body.find("</h2>", at) - at - 8) + "</a></li>\n";
    return page_without_scripts(
        title, report::html(head, links_, title) +
                   "<nav aria-label=\"Contents\"><ul class=\"overview\">\n" + contents +
                   "</ul></nav>\n" + ladder_ + body);
  }

 private:
  /// The sections of which `list` has a heading between these marks. If none: the last one, for
  /// what is outside of the article.
  std::vector<Section*> named(const std::string& list, const std::string& begin,
                              const std::string& end, bool outside, const std::string& what) {
    std::vector<Section*> named;
    for (Section& section : sections_)
      for (const std::string& heading : section.headings)
        if (list.find(begin + heading + end) != list.npos) named.push_back(&section);
    if (named.empty() && !outside && sections_.size() > 1)
      throw Error(fmt::format("{} has no section of {}", file_.string(), what));
    if (named.empty()) named.push_back(&sections_.back());
    return named;
  }
  /// kernels/<family>/<backend>_<NN_idea>.{cpp,cu,cl}, by stage, as HTML.
  void read_stages() {
    static const std::regex stage(R"((cpu|cuda|opencl|hybrid|mpi)_(\d.*)\.(cpp|cu|cl))");
    if (!fs::exists(kernels_)) return;
    for (const fs::path& file : sorted_entries(kernels_)) {
      std::smatch found;
      const std::string name = file.filename();
      if (!std::regex_match(name, found, stage)) continue;
      const std::string of = found[1].str() + "/" + found[2].str();
      sources_[of] += fmt::format(
          "<p class=\"note\">kernels/{}/{}</p>\n<pre class=\"listing\" tabindex=\"0\">{}</pre>\n",
          published_.family, name, escaped(read_text(file)));
      links_["`" + of + "`"] = links_["`" + published_.family + "/" + of + "`"] = "#stage-" + of;
    }
  }
  void place_tables() {
    for (const PublishedTable& table : published_.tables)
      links_['"' + table.title + '"'] = "#table-" + anchor(table.title);
    for (const PublishedTable& table : published_.tables) {
      const std::string list = std::regex_replace(table.section, std::regex(" to "), "; ");
      const auto places = named("; " + list + "; ", "; ", "; ", table.section == "not in the text",
                                fmt::format("the table \"{}\": {}", table.title, table.section));
      for (Section* place : places)
        place->content +=
            report::html(place == places.front() ? table_text(published_, table, article_.machines)
                                                 : Document{{"", "Table: \"" + table.title + "\""}},
                         links_, table.title, "table-");
    }
    sections_.back().content += report::html(further_tables(published_, article_.machines), links_,
                                             published_.family, "table-");
  }
  /// In the first section that names it by file or title; the ladder stands above all.
  std::string& place_of(const std::string& id, const std::vector<std::string>& names) {
    if (id == "ladder") return ladder_;
    for (Section& section : sections_)
      for (const auto& row : section.parts.rows)
        for (const std::string& name : names)
          if (row[1].find(name) != row[1].npos) return section.content;
    return sections_.back().content;
  }
  /// As they are in the repository, which shows stored figures, or drawn where those are stale.
  void place_pictures() {
    std::vector<Machine> stored = article_.machines;
    std::erase_if(stored, [](const Machine& machine) { return machine.name == "here"; });
    const ScratchFolder scratch;
    auto drawings = drawings_of(published_, stored, article_.baselines, kernels_ / "pictures");
    std::vector<vega::Drawing> drawn;
    for (vega::Drawing& drawing : drawings) {
      if (vega::stale(drawing).empty()) continue;
      drawing.file = scratch.path() / drawing.file.filename();
      drawn.push_back(drawing);
    }
    const std::string missing = drawn.empty() ? "" : vega::draw(drawn);
    for (const vega::Drawing& drawing : drawings) {
      const std::string id = drawing.file.stem(), title = drawing.spec["title"]["text"];
      const std::vector<std::string> names = {"`pictures/" + id + ".svg`", '"' + title + '"'};
      for (const std::string& name : names) links_[name] = "#picture-" + id;
      std::string shown = "<p class=\"none\">" + escaped(missing) + "</p>";
      if (fs::exists(drawing.file)) {
        const std::string svg = read_text(drawing.file);
        shown = "<svg aria-hidden=\"true\"" + svg.substr(4, svg.find("</svg>") + 2);
      }
      place_of(id, names) += fmt::format(
          "<figure id=\"picture-{0}\"><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
          "aria-label=\"{1}\">{2}</div><figcaption>{1}</figcaption></figure>\n",
          escaped(id), escaped(title), shown);
    }
  }
  /// In the section that the stage's source names.
  void place_stages() {
    for (const auto& [of, source] : sources_) {
      const std::string name = published_.family + "/" + of;
      const Stage* const stage = find_stage(name);
      const std::string from = stage ? stage->info().source : "";
      std::string& place =
          named(from, "\"", "\"", from.find('"') == from.npos, name + ": " + from).front()->content;
      if (place.find("<h3>Stages</h3>") == place.npos) place += "<h3>Stages</h3>\n";
      place += fmt::format(
          "<details id=\"stage-{}\"><summary>{}: {}</summary><div class=\"fold\">\n"
          "{}</div></details>\n",
          of, inline_html(stage_cell(published_, name), {}),
          escaped(stage ? stage->info().summary : "this build lacks its backend"), source);
    }
  }

  const Article& article_;
  const Published& published_;
  const fs::path kernels_, file_;
  Document text_;
  std::vector<Section> sections_;  ///< the last: what is outside of the article
  std::map<std::string, std::string> sources_;
  Links links_;
  std::string ladder_;
};

}  // namespace

std::string article_page(const Article& article) { return Page(article).html(); }

}  // namespace ratchet::report
