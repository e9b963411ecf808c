// The pages of the articles: every section, table, picture and stage where it belongs, each link
// within its page, and no text that is taken for markup.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <set>

#include "correctness/perf/study/report/report_fixture.h"
#include "correctness/support/expect_has.h"
#include "perf/output/page/page.h"
#include "perf/study/report/plots/drawings.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

const fs::path checkout = RATCHET_SOURCE_DIR;

/// What `pattern` finds: its first group.
std::vector<std::string> found(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> all;
  for (std::sregex_iterator each(text.begin(), text.end(), regex), end; each != end; ++each)
    all.push_back((*each)[1]);
  return all;
}

/// The id of the section of a page in which this stands, which stands nowhere else.
std::string place_of(const std::string& page, const std::string& text) {
  const std::size_t at = page.find(text);
  EXPECT_TRUE(at != page.npos && at == page.rfind(text)) << text << " does not stand there once";
  const std::size_t section = page.rfind("<h2 id=\"", at) + 8;
  return page.substr(section, page.find('"', section) - section);
}

const char* const beyond = "section-what-the-article-does-not-have";

/// Every tag is closed, in order, and "<", ">" and "&" stand for themselves nowhere else.
void expect_markup(const std::string& page) {
  const std::regex tag("<(/?)([a-z0-9]+)((?: [^<>\"]+=\"[^<>\"]*\")*)(/?)>",
                       std::regex::icase | std::regex::optimize);
  const std::regex bare("[<>]|&(?!(amp|lt|gt|quot|apos);)");
  std::vector<std::string> open = {""};
  const std::string body = page.substr(page.find("<html"));
  for (std::sregex_iterator each(body.begin(), body.end(), tag), end; each != end; ++each) {
    const std::smatch& match = *each;
    const std::string text = match.prefix(), name = match[2];
    ASSERT_TRUE(open.back() == "style" || !std::regex_search(text, bare)) << text.substr(0, 200);
    if (match[1].length() != 0) {
      ASSERT_EQ(open.back(), name) << text.substr(0, 200);
      open.pop_back();
    } else if (match[4].length() == 0 && name != "meta") {
      open.push_back(name);
    }
  }
  EXPECT_EQ(open.size(), 1u);
}

void expect_links(const std::string& page) {
  const auto ids = found(page, " id=\"([^\"]*)\"");
  const std::set<std::string> known(ids.begin(), ids.end());
  EXPECT_EQ(known.size(), ids.size()) << "an id stands there twice";
  for (const std::string& address : found(page, "href=\"([^\"]*)\""))
    EXPECT_TRUE(address == "index.html" || address.starts_with("https://") ||
                known.count(address.substr(1)))
        << address << " leads nowhere";
  EXPECT_LACKS(page, "<script");
}

TEST(ArticlePages, HaveEverySectionTablePictureAndStageWhereItBelongs) {
  for (const Published& published : read_all_published(published_folder)) {
    SCOPED_TRACE(published.family);
    const auto machines = machines_with(published.family, checkout / "baselines", {});
    const std::string page = article_page({published, machines, checkout / "baselines"});
    const fs::path kernels = checkout / "kernels" / published.family;
    const std::string text = read_text(kernels / "ARTICLE.md");
    const std::string parts = text.substr(text.find("\n| the article | here |\n"));

    std::map<std::string, std::string> id_of = {{"not in the text", beyond}};  // by heading
    std::vector<std::string> wanted, shown;  // sections, in the order of the article
    for (const std::string& marked : found(parts, "\n\\| (\\*\\*[^|]+?\\*\\*): ")) {
      const std::string id = "section-" + anchor(marked);
      for (const std::string& heading : found(marked, "\\*\\*(.+?)\\*\\*")) id_of[heading] = id;
      if (wanted.empty() || wanted.back() != id) wanted.push_back(id);
    }
    wanted.push_back(beyond);
    for (const std::string& id : found(page, "<h2 id=\"(section-[^\"]*)")) shown.push_back(id);
    EXPECT_EQ(shown, wanted);
    const std::string head = "the article</th><th scope=\"col\">here</th></tr></thead>";
    std::size_t rows = 0;
    for (std::size_t at = page.find(head); at != page.npos; at = page.find(head, at + 1))
      rows += found(page.substr(at, page.find("</table>", at) - at), "(<tr>)").size();
    EXPECT_EQ(rows, found(parts, "(\n\\| )").size() - 1) << "parts of the article are missing";
    for (const std::string& heading : found(text, "\n## ([^\n]+)"))
      EXPECT_EQ(place_of(page, "<h2 id=\"" + anchor(heading) + "\">"), anchor(heading));

    for (const std::string& title :
         found(markdown(family_tables(published, machines)), "\n### ([^\n]+)"))
      place_of(page, "<h3 id=\"table-" + anchor(title) + "\">");
    for (const PublishedTable& table : published.tables)
      EXPECT_EQ(place_of(page, "<h3 id=\"table-" + anchor(table.title) + "\">"),
                id_of[found(table.section, "^(.+?)(?:; | to |$)").at(0)])
          << table.title;
    for (const Stage* stage : registry()) {
      const StageInfo& info = stage->info();
      if (info.family() != published.family) continue;
      std::string place = beyond;
      for (const std::string& heading : found(info.source, "\"([^\"]+)\""))
        if (id_of.contains(heading)) place = id_of[heading];
      const std::string name = info.name.substr(published.family.size() + 1);
      EXPECT_EQ(place_of(page, "<details id=\"stage-" + name + "\">"), place) << name;
      EXPECT_EQ(place_of(page, "<pre class=\"listing\" tabindex=\"0\">// " + info.name + "\n"),
                place);
    }
    for (const vega::Drawing& drawing :
         drawings_of(published, machines, checkout / "baselines", kernels / "pictures"))
      place_of(page, "<figure id=\"picture-" + drawing.file.stem().string() + "\">");
    expect_links(page);
    expect_markup(page);
  }
}

class ArticlePage : public Report {
 protected:
  /// The page of a family that is in no checkout but this one.
  std::string page(const std::string& section, const std::string& article) {
    Published published = read_published(published_folder / "graveler.json");
    published.family = "demo";
    published.title = "<script>alert(1)</script> & \"more\"";
    published.tables.resize(1);
    published.tables[0].section = section;
    published.tables[0].title = published.tables[0].rows[0].label = "<b>";
    published.plots.clear();
    write(folder() / "kernels/demo/cpu_01_a.cpp", "// demo/cpu/01_a\nif (a < b && b > c) {}\n");
    write(folder() / "kernels/demo/ARTICLE.md", article);
    return article_page({published, {}, baselines(), "<i>"});
  }
};

constexpr const char* two_sections =
    "# demo\n\n| the article | here |\n|---|---|\n| **A**, **B <x>**: a `1 < 2` \\| b | \"<b>\" |\n"
    "| more | see `cpu/01_a` |\n| **C**: c | not here: no <hardware> |\n";

TEST_F(ArticlePage, ShowsTextsAsTheyAre) {
  const std::string text = page("B <x> to C", two_sections);
  expect_markup(text);
  expect_links(text);
  EXPECT_HAS(text, "<td>a <code>1 &lt; 2</code> | b</td><td><a href=\"#table-b\">&quot;&lt;b&gt;");
  EXPECT_HAS(text, "see <a href=\"#stage-cpu/01_a\"><code>cpu/01_a</code></a>");
  EXPECT_HAS(text, "if (a &lt; b &amp;&amp; b &gt; c) {}");
  EXPECT_HAS(text, "<p>&lt;i&gt;</p>");
  EXPECT_EQ(place_of(text, "<h3 id=\"table-b\">"), "section-a-b-x");
  EXPECT_EQ(place_of(text, "<p>Table: <a href=\"#table-b\">"), "section-c");
}

TEST_F(ArticlePage, RefusesWhatItCannotPlace) {
  EXPECT_HAS(error_of([&] { page("D", two_sections); }),
             "kernels/demo/ARTICLE.md has no section of the table \"<b>\": D");
  EXPECT_HAS(error_of([&] { page("A", "| the article | here |\n|---|---|\n| a | b |\n"); }),
             "the row \"a\" stands in no section");
}

TEST_F(ArticlePage, StandsInTheIndexOfItsFolder) {
  const fs::path folder_of_site = folder() / "site";
  const auto site = [&](const std::string& family) {
    const ProcessResult result =
        ratchet({"tables", family, "--site", folder_of_site, "--baseline-dir",
                 checkout / "baselines", "--results", folder() / "results"});
    EXPECT_EQ(result.exit_code, 0);
    return result.output;
  };
  site("life");
  EXPECT_LACKS(site("officers"), "updates the index");
  const std::string index = read_text(folder_of_site / "index.html");
  for (const char* key :
       {"(\"href\":\"article-life.html\")", "(\"href\":\"article-officers.html\")"})
    EXPECT_EQ(found(index, key).size(), 2u) << "in the list of pages and in the links";
  write(folder_of_site / "index.html", "of results");
  write(folder_of_site / "history.html", "");
  EXPECT_HAS(site("life"), "/` updates the index");
  EXPECT_EQ(read_text(folder_of_site / "index.html"), "of results");
}

}  // namespace
}  // namespace ratchet::report
