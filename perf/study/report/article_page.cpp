#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
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

/// A section of the article: its headings, and as HTML what is shown below them.
struct Section {
  std::vector<std::string> names;
  TextBlock parts = {"|", "", {{"the article", "here"}}};
  std::string tables = {}, pictures = {}, stages = {};
  std::string title() const { return fmt::format("{}", fmt::join(names, ", ")); }
  std::string id() const { return "section-" + anchor(title()); }
};

/// The files of a stage: kernels/<family>/<backend>_<NN_idea>.{cpp,cu,cl}.
struct StageFiles {
  std::string name;  ///< without the family: "cuda/01_port"
  std::vector<fs::path> files;
  std::string id() const {
    return "stage-" + anchor(std::string(name).replace(name.find('/'), 1, "-"));
  }
};

/// Takes the headings from the start of a row, "**A**, **B**: ".
std::vector<std::string> take_headings(std::string& part) {
  static const std::regex heading(R"(\*\*(.+?)\*\*(: |, (?=\*\*)))");
  std::vector<std::string> names;
  std::smatch found;
  while (std::regex_search(part, found, heading, std::regex_constants::match_continuous)) {
    names.push_back(found[1]);
    part = std::string(found.suffix());
  }
  return names;
}

/// The rows of ARTICLE.md, "Part by part", by section.
std::vector<Section> sections_of(const TextBlock& table, const fs::path& file) {
  std::vector<Section> sections;
  for (std::size_t i = 1; i < table.rows.size(); ++i) {
    std::vector<std::string> row = table.rows[i];
    if (auto names = take_headings(row[0]);
        !names.empty() && (sections.empty() || sections.back().names != names))
      sections.push_back({std::move(names)});
    if (sections.empty() || row.size() != 2)
      throw Error(
          fmt::format("{}: the row \"{}\" stands in no section; write | **Section**: part "
                      "| where it is here |",
                      file.string(), table.rows[i][0]));
    sections.back().parts.rows.push_back(std::move(row));
  }
  return sections;
}

std::vector<StageFiles> stages_in(const fs::path& folder) {
  static const std::regex stage(R"((cpu|cuda|opencl|hybrid|mpi)_(\d.*)\.(cpp|cu|cl))");
  std::vector<StageFiles> stages;
  for (const fs::path& file : sorted_entries(folder)) {
    std::smatch found;
    const std::string name = file.filename();
    if (!std::regex_match(name, found, stage)) continue;
    const std::string of = found[1].str() + "/" + found[2].str();
    if (stages.empty() || stages.back().name != of) stages.push_back({of, {}});
    stages.back().files.push_back(file);
  }
  return stages;
}

/// A picture in the page; a screen reader gets its title, and the figures from the tables.
std::string figure(const vega::Drawing& drawing, const std::string& svg) {
  const std::string id = drawing.file.stem(), title = drawing.spec["title"]["text"];
  const std::size_t end = svg.find("</svg>");
  const std::string shown = end == std::string::npos
                                ? "<p class=\"none\">" + escaped(svg) + "</p>"
                                : "<svg aria-hidden=\"true\"" + svg.substr(4, end + 2);
  return fmt::format(
      "<figure id=\"picture-{0}\"><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"{1}\">{2}</div><figcaption>{1}</figcaption></figure>\n",
      escaped(id), escaped(title), shown);
}

class ArticlePage {
 public:
  explicit ArticlePage(const Article& article)
      : published_(article.published),
        machines_(article.machines),
        kernels_(fs::absolute(article.baselines).lexically_normal().parent_path() / "kernels" /
                 published_.family),
        file_(kernels_ / "ARTICLE.md"),
        stages_(fs::exists(kernels_) ? stages_in(kernels_) : std::vector<StageFiles>{}) {
    if (fs::exists(file_)) text_ = read_markdown(read_text(file_));
    for (const TextBlock& block : text_)
      if (is_parts(block)) sections_ = sections_of(block, file_);
    for (const StageFiles& stage : stages_)
      for (const std::string& name : {stage.name, published_.family + "/" + stage.name})
        links_["`" + name + "`"] = "#" + stage.id();
    for (const TextBlock& block : text_)
      if (block.mark.starts_with("##")) links_['"' + block.words + '"'] = "#" + anchor(block.words);
    for (const PublishedTable& table : published_.tables)
      links_['"' + table.title + '"'] = "#table-" + anchor(table.title);
    place_tables();
    place_pictures(article.baselines);
    for (const StageFiles& stage : stages_) place(stage);
  }

  std::string text(const std::string& note) const {
    const std::string title = published_.family + ": " + published_.title;
    std::string body, contents;
    const auto listed = [&](const std::string& id, const std::string& heading) {
      contents += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, escaped(heading));
    };
    Document prose;
    for (const TextBlock& block : text_) {
      if (block.mark == "## ") listed(anchor(block.words), block.words);
      if (!is_parts(block)) {
        if (block.mark != "# ") prose.push_back(block);
        continue;
      }
      body += html(std::exchange(prose, {}), links_, title);
      for (const Section& section : sections_) {
        listed(section.id(), section.title());
        body += shown(section);
      }
    }
    listed(beyond_.id(), beyond_.title());
    body += html(prose, links_, title) + shown(beyond_);
    Document introduced = introduction(published_, machines_);
    if (!note.empty()) introduced.push_back({"", note});
    return page_without_scripts(
        title, fmt::format("<h1>{}</h1>\n<p>{}, <a href=\"{}\">{}</a></p>\n<dl class=\"facts\">",
                           escaped(title), escaped(published_.author), escaped(published_.source),
                           escaped(published_.source)) +
                   fact("problem", published_.about.problem) +
                   fact("work counted", published_.about.work) +
                   fact("right means", published_.about.right) + "</dl>\n" +
                   html(introduced, links_, title) +
                   "<nav aria-label=\"Contents\"><ul class=\"overview\">\n" + contents +
                   "</ul></nav>\n" + first_picture_ + body);
  }

 private:
  static bool is_parts(const TextBlock& block) {
    return block.mark == "|" &&
           block.rows.front() == std::vector<std::string>{"the article", "here"};
  }
  static std::string fact(const std::string& name, const std::string& text) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, escaped(text));
  }
  std::string shown(const Section& section) const {
    const std::string title = section.title();
    std::string text = fmt::format("<h2 id=\"{}\">{}</h2>\n", section.id(), inline_html(title, {}));
    if (section.parts.rows.size() > 1) text += html({section.parts}, links_, title);
    text += section.tables + section.pictures;
    return section.stages.empty() ? text : text + "<h3>Stages</h3>\n" + section.stages;
  }
  Section* find(const std::string& name) {
    for (Section& section : sections_)
      if (std::count(section.names.begin(), section.names.end(), name)) return &section;
    return nullptr;
  }
  /// The sections of a table, "A; B to C", in the order of the article.
  std::vector<Section*> named_by(const PublishedTable& table) {
    std::vector<Section*> named;
    static const std::regex separator("; ");
    for (std::sregex_token_iterator each(table.section.begin(), table.section.end(), separator, -1);
         each != std::sregex_token_iterator(); ++each) {
      const std::string name = *each;
      const std::size_t to = name.find(" to ");
      Section *first = find(name), *last = first;
      if (first == nullptr && to != std::string::npos) {
        first = find(name.substr(0, to));
        last = find(name.substr(to + 4));
      }
      if (first == nullptr || last == nullptr || last < first)
        throw Error(fmt::format("{} has no section \"{}\", which the table \"{}\" is of",
                                file_.string(), name, table.title));
      for (; first <= last; ++first) named.push_back(first);
    }
    std::sort(named.begin(), named.end());
    return named;
  }
  void place_tables() {
    for (const PublishedTable& table : published_.tables) {
      const bool outside = sections_.empty() || table.section == kNotInTheText;
      const auto named = outside ? std::vector<Section*>{&beyond_} : named_by(table);
      named.front()->tables +=
          html(table_text(published_, table, machines_), links_, table.title, "table-");
      for (std::size_t i = 1; i < named.size(); ++i)
        named[i]->tables += html({{"", "Table: \"" + table.title + "\""}}, links_, table.title);
    }
    beyond_.tables +=
        html(further_tables(published_, machines_), links_, published_.family, "table-");
  }
  /// The first section that names the picture, by its file or title; the ladder stands above all.
  std::string& place_of(const std::string& id, const std::vector<std::string>& names) {
    if (id == "ladder") return first_picture_;
    for (Section& section : sections_)
      for (const auto& row : section.parts.rows)
        for (const std::string& name : names)
          if (row[1].find(name) != std::string::npos) return section.pictures;
    return beyond_.pictures;
  }
  void place_pictures(const fs::path& baselines) {
    std::vector<Machine> stored = machines_;  // what the pictures in the repository show
    std::erase_if(stored, [](const Machine& machine) { return machine.name == "here"; });
    const ScratchFolder scratch;
    std::vector<vega::Drawing> all =
        drawings_of(published_, stored, baselines, kernels_ / "pictures");
    std::vector<vega::Drawing> drawn;
    for (vega::Drawing& drawing : all) {
      if (vega::stale(drawing).empty()) continue;
      drawing.file = scratch.path() / drawing.file.filename();
      drawn.push_back(drawing);
    }
    const std::string missing = drawn.empty() ? "" : vega::draw(drawn);
    for (const vega::Drawing& drawing : all) {
      const std::string id = drawing.file.stem();
      const std::vector<std::string> names = {
          "`pictures/" + id + ".svg`",
          '"' + drawing.spec["title"]["text"].get<std::string>() + '"'};
      for (const std::string& name : names) links_[name] = "#picture-" + id;
      place_of(id, names) +=
          figure(drawing, fs::exists(drawing.file) ? read_text(drawing.file) : missing);
    }
  }
  /// The section that the stage's source names; beyond for ratchet's own, and for stages that this
  /// build lacks.
  Section& section_of(const Stage* stage) {
    if (stage == nullptr || sections_.empty()) return beyond_;
    static const std::regex quoted("\"([^\"]+)\"");
    const std::string& source = stage->info().source;
    std::sregex_iterator each(source.begin(), source.end(), quoted), end;
    if (each == end) return beyond_;
    for (; each != end; ++each)
      if (Section* const section = find((*each)[1])) return *section;
    throw Error(fmt::format("{} has no section that {} is of: {}", file_.string(),
                            stage->info().name, source));
  }
  void place(const StageFiles& files) {
    const std::string name = published_.family + "/" + files.name;
    const Stage* const stage = find_stage(name);
    std::string& place = section_of(stage).stages;
    place += fmt::format(
        "<details id=\"{}\"><summary>{}: {}</summary><div class=\"fold\">\n", files.id(),
        inline_html(stage_cell(published_, name), {}),
        escaped(stage ? stage->info().summary : "this build has no stages of its backend"));
    for (const fs::path& file : files.files)
      place += fmt::format(
          "<p class=\"note\">kernels/{}/{}</p>\n<pre class=\"listing\" "
          "tabindex=\"0\">{}</pre>\n",
          published_.family, file.filename().string(), escaped(read_text(file)));
    place += "</div></details>\n";
  }

  static constexpr const char* kNotInTheText = "not in the text";
  const Published& published_;
  const std::vector<Machine>& machines_;
  fs::path kernels_, file_;
  std::vector<StageFiles> stages_;
  Document text_;
  std::vector<Section> sections_;
  Section beyond_ = {{"What the article does not have"}};
  Links links_;
  std::string first_picture_;
};

}  // namespace

std::string article_page(const Article& article) { return ArticlePage(article).text(article.note); }

}  // namespace ratchet::report
