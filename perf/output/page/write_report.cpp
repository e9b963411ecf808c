#include "perf/output/page/write_report.h"

#include <fmt/format.h>

#include <ostream>

#include "perf/output/history/keep.h"
#include "perf/output/page/bisect_section.h"
#include "perf/output/page/fleet_section.h"
#include "perf/output/page/page.h"
#include "perf/output/page/run_section.h"
#include "perf/output/page/selftest_section.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The files that a folder may hold, in the order of their sections.
constexpr const char* known_files[] = {"gate.json", "compare.json", "fleet.json", "bisect.json",
                                       "selftest.jsonl"};

json section_of_file(const fs::path& file, const std::string& history) {
  if (file.extension() == ".jsonl") return selftest_section(file);
  if (file.filename() == "bisect.json") return bisect_section(file);
  const std::string where = history::location_or_default(history, file.parent_path());
  if (file.filename() == "fleet.json") return fleet_section(read_json(file), file.string(), where);
  return run_section(read_run(file), where);
}

void add_folder(const fs::path& folder, const std::string& history, json& sections) {
  const std::size_t before = sections.size();
  for (const char* name : known_files)
    if (fs::exists(folder / name)) sections.push_back(section_of_file(folder / name, history));
  if (sections.size() > before) return;
  throw Error(
      fmt::format("{} holds no results; it needs one of gate.json, compare.json, fleet.json, "
                  "bisect.json and selftest.jsonl",
                  folder.string()));
}

}  // namespace

json report_sections(const ReportSources& sources) {
  json sections = json::array();
  for (const fs::path& results : sources.results) {
    if (fs::is_directory(results))
      add_folder(results, sources.history, sections);
    else
      sections.push_back(section_of_file(results, sources.history));
  }
  return sections;
}

std::string history_of(const ReportSources& sources) {
  if (sources.results.empty()) return history::no_history;
  const fs::path& first = sources.results.front();
  return history::location_or_default(sources.history,
                                      fs::is_directory(first) ? first : first.parent_path());
}

bool leave_report(const fs::path& folder, const std::function<json()>& sections, bool quiet,
                  std::ostream& out) {
  const fs::path file = folder / "report.html";
  try {
    write_report(file, sections());
    if (!quiet) out << "report: " << file.string() << std::endl;
    return true;
  } catch (const std::exception& error) {
    out << "no report: " << error.what() << std::endl;
    return false;
  }
}

void write_report(const fs::path& file, const json& sections) {
  write_atomically(file, html_page(sections, json::array()));
}

}  // namespace ratchet::report
