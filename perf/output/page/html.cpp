// Documents as HTML, for pages without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include "perf/output/page/page.h"
#include "perf/support/git.h"

namespace ratchet::report {
namespace {

/// What lies between these marks, if the first begins the text.
std::optional<std::string_view> between(std::string_view text, std::string_view begin,
                                        std::string_view end) {
  if (!text.starts_with(begin)) return std::nullopt;
  const std::size_t at = text.find(end, begin.size());
  if (at == std::string_view::npos) return std::nullopt;
  return text.substr(begin.size(), at - begin.size());
}

std::string link(const std::string& address, const std::string& shown) {
  return fmt::format("<a href=\"{}\">{}</a>", escaped(address), shown);
}

/// [shown](address): a link within the page or to the web; other files are only named.
std::string link_or_name(const std::string& address, const std::string& shown) {
  if (address.starts_with('#') || address.starts_with("http")) return link(address, shown);
  std::string file = address.substr(0, address.find('#'));
  while (file.starts_with("../")) file.erase(0, 3);
  return fmt::format("{} (<code>{}</code>)", shown, escaped(file));
}

std::string table_html(const TextBlock& table, const Links& links, const std::string& caption) {
  const std::string name = escaped(caption);
  std::string html = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\"><table "
      "class=\"plain\"><caption class=\"unseen\">{0}</caption>\n",
      name);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    html += i == 0 ? "<thead><tr>" : "<tr>";
    for (const std::string& cell : table.rows[i])
      html += i == 0 && !cell.empty() ? "<th scope=\"col\">" + inline_html(cell, links) + "</th>"
                                      : "<td>" + inline_html(cell, links) + "</td>";
    html += i == 0 ? "</tr></thead><tbody>\n" : "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

/// The cells of a line of a table in Markdown.
std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|') {
      cells.push_back(trimmed(std::exchange(cell, "")));
    } else {
      if (line.compare(i, 2, "\\|") == 0) ++i;
      if (!cell.empty() || line[i] != ' ') cell += line[i];
    }
  }
  return cells;
}

}  // namespace

std::string inline_html(std::string_view text, const Links& links) {
  std::string html;
  for (std::size_t length = 0; !text.empty(); text.remove_prefix(length)) {
    const std::string_view all = text;
    const auto linked = [&](const std::string& shown) {
      const auto found = links.find(std::string(all.substr(0, length)));
      return found == links.end() ? shown : link(found->second, shown);
    };
    if (const auto code = between(text, "`", "`")) {
      length = code->size() + 2;
      html += linked("<code>" + escaped(*code) + "</code>");
    } else if (const auto bold = between(text, "**", "**")) {
      length = bold->size() + 4;
      html += "<strong>" + inline_html(*bold, links) + "</strong>";
    } else if (const auto comment = between(text, "<!--", "-->")) {
      length = comment->size() + 7;
    } else if (const auto words = between(text, "[", "](");
               words && words->find('[') == words->npos) {
      const auto address = between(text.substr(words->size() + 1), "](", ")").value_or("");
      length = std::min(text.size(), words->size() + address.size() + 4);
      html += link_or_name(std::string(address), inline_html(*words, links));
    } else {
      const auto quoted = between(text, "\"", "\"");
      length = quoted ? quoted->size() + 2 : 0;
      if (!links.contains(std::string(text.substr(0, length))))
        length = std::min(text.size(), text.find_first_of("`*<[\"", 1));
      html += linked(escaped(text.substr(0, length)));
    }
  }
  return html;
}

std::string anchor(std::string_view heading) {
  std::string id;
  for (const char c : heading) {
    if (c == ' ' || c == '-')
      id += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0)
      id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return id;
}

std::string html(const Document& document, const Links& links, const std::string& title,
                 const std::string& id_prefix) {
  std::string html, under = title, before;
  int tables = 0;
  for (const TextBlock& block : document) {
    if (before != block.mark && before == "- ") html += "</ul>\n";
    if (before != block.mark && block.mark == "- ") html += "<ul>\n";
    before = block.mark;
    const std::string words = inline_html(block.words, links);
    if (before == "|") {
      html += table_html(block, links,
                         ++tables == 1 ? under : fmt::format("{}, table {}", under, tables));
    } else if (before.starts_with('#')) {
      under = block.words;
      tables = 0;
      html += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", before.size() - 1,
                          id_prefix + anchor(under), words);
    } else {
      html += before.empty() ? "<p>" + words + "</p>\n" : "<li>" + words + "</li>\n";
    }
  }
  return html + (before == "- " ? "</ul>\n" : "");
}

Document read_markdown(const std::string& text) {
  Document document = {{"", ""}};
  std::istringstream lines(text);
  bool apart = true;  // no paragraph, item or table that the line could continue
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    const bool heading = level > 0 && level != line.npos, row = line.starts_with('|'),
               item = line.starts_with("- ");
    if (heading)
      document.push_back({line.substr(0, level + 1), line.substr(level + 1)});
    else if (item)
      document.push_back({"- ", line.substr(2)});
    else if (!line.empty() && (apart || row != (document.back().mark == "|")))
      document.push_back({row ? "|" : "", row ? "" : line});
    else if (!row && !line.empty())
      document.back().words += " " + line.substr(line.find_first_not_of(' '));
    if (row && (line.find_first_not_of("|-: ") != line.npos || document.back().rows.empty()))
      document.back().rows.push_back(cells_of(line));
    apart = heading || line.empty();
  }
  document.erase(document.begin());
  return document;
}

}  // namespace ratchet::report
