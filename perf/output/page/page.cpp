#include "perf/output/page/page.h"

#include <stdexcept>
#include <string_view>

// The page as the build joined it (ci/cmake/report_page.cmake): half a megabyte and more, which a
// compiler need not look at.
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

/// In HTML nothing ends a script but "</script", and nothing begins a comment but "<!--"; "<" as an
/// escape of JSON's is neither.
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

}  // namespace

std::string html_page(const nlohmann::json& sections, const nlohmann::json& links) {
  const std::string_view page(ratchet_report_page, ratchet_report_page_end);
  constexpr std::string_view mark = "@DATA@";
  const std::size_t at = page.find(mark);
  if (at == std::string_view::npos)
    throw std::logic_error("the report's page has no place for data");
  const nlohmann::json model = {
      {"version", model_version}, {"plots", has_plots()}, {"links", links}, {"sections", sections}};
  std::string text(page.substr(0, at));
  text += data_text(model);
  text += page.substr(at + mark.size());
  return text;
}

bool has_plots() { return RATCHET_HAVE_VEGA != 0; }

}  // namespace ratchet::report
