// Documents as HTML, for pages without scripts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <sstream>
#include <utility>

#include "perf/output/page/page.h"

namespace ratchet::report {
namespace {

using namespace std::string_view_literals;

/// The last is what the others begin with.
constexpr std::array kEntities = {std::pair('<', "&lt;"sv), std::pair('>', "&gt;"sv),
                                  std::pair('"', "&quot;"sv), std::pair('&', "&amp;"sv)};

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
      const std::size_t begin = cell.find_first_not_of(' ');
      cells.push_back(begin == std::string::npos
                          ? ""
                          : cell.substr(begin, cell.find_last_not_of(' ') - begin + 1));
      cell.clear();
    } else {
      if (line[i] == '\\' && line.substr(i + 1, 1) == "|") ++i;
      cell += line[i];
    }
  }
  return cells;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    const auto* const found = std::find_if(kEntities.begin(), kEntities.end(),
                                           [&](const auto& entity) { return entity.first == c; });
    html += found == kEntities.end() ? std::string(1, c) : std::string(found->second);
  }
  return html;
}

std::string page_title(const std::string& page) {
  const std::size_t begin = page.find("<title>");
  std::string title(
      between(std::string_view(page).substr(std::min(begin, page.size())), "<title>", "</title>")
          .value_or(""));
  for (const auto& [character, entity] : kEntities)
    for (std::size_t at = 0; (at = title.find(entity, at)) != std::string::npos; ++at)
      title.replace(at, entity.size(), 1, character);
  return title;
}

std::string inline_html(std::string_view text, const Links& links) {
  std::string html;
  const auto linked = [&](std::string_view key, const std::string& shown) {
    const auto found = links.find(std::string(key));
    return found == links.end() ? shown : link(found->second, shown);
  };
  while (!text.empty()) {
    std::size_t length = 1;
    if (const auto code = between(text, "`", "`")) {
      length = code->size() + 2;
      html += linked(text.substr(0, length), "<code>" + escaped(*code) + "</code>");
    } else if (const auto bold = between(text, "**", "**")) {
      length = bold->size() + 4;
      html += "<strong>" + inline_html(*bold, links) + "</strong>";
    } else if (const auto comment = between(text, "<!--", "-->")) {
      length = comment->size() + 7;
    } else if (const auto quoted = between(text, "\"", "\"");
               quoted && links.contains(std::string(text.substr(0, quoted->size() + 2)))) {
      length = quoted->size() + 2;
      html += linked(text.substr(0, length), escaped(text.substr(0, length)));
    } else if (const auto words = between(text, "[", "](");
               words && words->find('[') == std::string_view::npos) {
      const auto address = between(text.substr(words->size() + 1), "](", ")").value_or("");
      length = words->size() + address.size() + 4;
      html += link_or_name(std::string(address), inline_html(*words, links));
    } else {
      html += escaped(text.substr(0, 1));
    }
    text.remove_prefix(std::min(length, text.size()));
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
    if (before == "- " && block.mark != before) html += "</ul>\n";
    if (block.mark == "- " && block.mark != before) html += "<ul>\n";
    before = block.mark;
    if (block.mark == "|") {
      html += table_html(block, links,
                         ++tables == 1 ? under : fmt::format("{}, table {}", under, tables));
    } else if (block.mark == "- ") {
      html += "<li>" + inline_html(block.words, links) + "</li>\n";
    } else if (block.mark.empty()) {
      html += "<p>" + inline_html(block.words, links) + "</p>\n";
    } else {
      under = block.words;
      tables = 0;
      html += fmt::format("<h{0} id=\"{1}\">{2}</h{0}>\n", block.mark.size() - 1,
                          id_prefix + anchor(block.words), inline_html(block.words, links));
    }
  }
  return html + (before == "- " ? "</ul>\n" : "");
}

Document read_markdown(const std::string& text) {
  Document document;
  std::istringstream lines(text);
  bool apart = true;  // no paragraph, item or table that the line could continue
  for (std::string line; std::getline(lines, line);) {
    const std::size_t level = line.find_first_not_of('#');
    if (line.empty()) {
      apart = true;
    } else if (line[0] == '#' && level != std::string::npos) {
      document.push_back({line.substr(0, level + 1), line.substr(level + 1)});
      apart = true;
    } else if (line[0] == '|') {
      if (apart || document.back().mark != "|") document.push_back({"|", ""});
      if (line.find_first_not_of("|-: ") != std::string::npos || document.back().rows.empty())
        document.back().rows.push_back(cells_of(line));
      apart = false;
    } else if (line.starts_with("- ")) {
      document.push_back({"- ", line.substr(2)});
      apart = false;
    } else if (apart || document.back().mark == "|") {
      document.push_back({"", line});
      apart = false;
    } else {
      document.back().words += " " + line.substr(line.find_first_not_of(' '));
    }
  }
  return document;
}

}  // namespace ratchet::report
