#include "perf/output/page/page.h"

#include <iterator>
#include <stdexcept>
#include <string_view>

#include "perf/gate/baseline/verdict.h"

// The page that the build joined (ci/cmake/report_page.cmake). It is over half a megabyte, so the
// assembler includes it and the compiler does not parse it.
__asm__(
    ".pushsection .rodata\n"
    ".global ratchet_report_page\n"
    ".global ratchet_report_page_end\n"
    "ratchet_report_page:\n"
    ".incbin \"" RATCHET_REPORT_PAGE
    "\"\n"
    "ratchet_report_page_end:\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" const char ratchet_report_page[], ratchet_report_page_end[];

namespace ratchet::report {
namespace {

/// Writes every "<" as a JSON escape, so that the data can neither end the script with "</script"
/// nor begin a comment with "<!--".
std::string data_text(const nlohmann::json& model) {
  const std::string plain = model.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string text;
  text.reserve(plain.size());
  for (const char c : plain) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

/// How the page shows each verdict: a shape for readers who see no colour, a class of colours, and
/// the direction in which the throughput changed.
nlohmann::json verdicts_model() {
  struct Shown {
    gate::Verdict verdict;
    const char *shape, *colour;
    int change = 0;
    bool folded = false;  // out of the table of judged rows
  };
  using enum gate::Verdict;
  constexpr Shown all[] = {{slower, "▼", "bad", -1},
                           {failed, "✕", "bad"},
                           {unverified, "✕", "bad"},
                           {missing, "✕", "bad"},
                           {changed, "≠", "bad"},
                           {added, "+", "open"},
                           {undecided, "?", "open", 0, true},
                           {faster, "▲", "good", 1},
                           {same, "●", "good"},
                           {uncompared, "○", "none", 0, true},
                           {unavailable, "–", "none", 0, true}};
  static_assert(std::size(all) == static_cast<std::size_t>(unavailable) + 1);
  nlohmann::json model = nlohmann::json::object();
  for (const Shown& each : all)
    model[to_string(each.verdict)] = {{"shape", each.shape},
                                      {"colour", each.colour},
                                      {"change", each.change},
                                      {"folded", each.folded},
                                      {"order", static_cast<int>(each.verdict)}};
  return model;
}

}  // namespace

std::string html_page(const nlohmann::json& sections, const nlohmann::json& links) {
  const std::string_view page(ratchet_report_page, ratchet_report_page_end);
  constexpr std::string_view mark = "@DATA@";
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos)
    throw std::logic_error("the report's page has no place for data");
  const nlohmann::json model = {{"version", model_version},
                                {"plots", has_plots()},
                                {"verdicts", verdicts_model()},
                                {"links", links},
                                {"sections", sections}};
  std::string text(page.substr(0, at));
  text += data_text(model);
  text += page.substr(at + mark.size());
  return text;
}

std::string page_without_scripts(const std::string& title, const std::string& body) {
  std::string page(ratchet_report_page, ratchet_report_page_end);
  const auto replace = [&](const char* begin, const char* end, const std::string& text) {
    const std::size_t at = page.find(begin);
    page.replace(at, page.find(end, at) - at, text);
  };
  page.replace(page.find("<script type"), page.npos, "</body>\n</html>\n");
  replace("script-src", "; base-uri", "style-src 'unsafe-inline'");
  replace("ratchet report</title>", "</title>", escaped(title));
  replace("</header>", "<main",
          "<nav aria-label=\"Pages\"><ul><li><a href=\"index.html\">Index</a></li></ul></nav>"
          "</header>\n");
  replace("<noscript>", "</main>", "\n" + body);
  return page;
}

bool has_plots() { return RATCHET_HAVE_VEGA != 0; }

}  // namespace ratchet::report
