#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "perf/output/files/formats.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_row.h"
#include "perf/support/files.h"
#include "perf/support/interruption.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

constexpr std::size_t shown_at_most = 10;

std::string escaped(const std::string& text, bool property) {
  std::string out;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

std::string annotation(const std::string& level, const std::string& title,
                       const std::string& message) {
  return fmt::format("::{} title={}::{}\n", level, escaped("ratchet: " + title, true),
                     escaped(message, false));
}

/// "" for a row that needs no attention. Undecided and new rows pass without --strict and say so.
std::string level_of(const OutputRow& row) {
  const bool open = row.verdict == Verdict::undecided || row.verdict == Verdict::added;
  if (open || row.outcome == ExitCode::undecided) return "warning";
  return row.outcome == ExitCode::pass || row.outcome == ExitCode::nothing_ran ? "" : "error";
}

/// As code, so that nothing in the message is read as Markdown.
std::string summary_of_error(const std::string& message) {
  return "## ratchet: failed (exit 2)\n\n    " + message + "\n";
}

/// Why it failed; empty where it did not.
std::string append(const std::filesystem::path& file, const std::string& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream << text << std::flush;
  if (stream) return "";
  return errno == 0 ? "it cannot be written" : std::strerror(errno);
}

}  // namespace

std::string github_annotations(const std::vector<RowReport>& reports, const Policy& policy) {
  std::string text;
  std::size_t count = 0;
  for (const OutputRow& row : output_rows(reports, policy)) {
    const std::string level = level_of(row);
    if (level.empty() || count++ >= shown_at_most) continue;
    std::string message = row.name.text() + ": " + sentence(row);
    for (const std::string& reason : row.reasons) message += "\n- " + reason;
    text += annotation(level, to_string(row.verdict), message);
  }
  if (count > shown_at_most)
    text += annotation(
        "notice", "more rows",
        fmt::format("{} more rows need attention; the summary names them", count - shown_at_most));
  return text;
}

std::string append_step_summary(const std::filesystem::path& file,
                                const std::vector<RowReport>& reports, const Policy& policy,
                                const std::string& note, std::optional<ExitCode> code) {
  constexpr std::size_t limit = std::size_t{1} << 20;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  const std::size_t before = error ? 0 : static_cast<std::size_t>(size);
  const auto failed = [&](const std::string& why) {
    return fmt::format("the step summary {} was not written: {}", file.string(), why);
  };
  if (before + 1 >= limit) return failed("it has reached 1 MiB, GitHub's limit");
  const std::string text = markdown_summary(reports, policy, note, code, limit - before - 1) + "\n";
  if (before + text.size() > limit) return failed("it would pass 1 MiB, GitHub's limit");
  const std::string why = append(file, text);
  return why.empty() ? "" : failed(why);
}

void tell_github_of_error(const std::string& message, std::ostream& out) {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  if (!actions || std::string(actions) != "true") return;
  out << annotation("error", "failed", message) << std::flush;
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (!summary || !*summary) return;
  if (const std::string why = append(summary, summary_of_error(message)); !why.empty())
    std::cerr << fmt::format("ratchet: the step summary {} was not written: {}", summary, why)
              << std::endl;
}

ExitCode run_into(const std::filesystem::path& results, const std::function<ExitCode()>& run) {
  const std::filesystem::path junit = results / "junit.xml", summary = results / "summary.md",
                              data = results / "gate.json";
  try {
    return run();
  } catch (const Interrupted&) {
    for (const auto& file : {data, junit, summary, results / "report.html"}) {
      std::error_code ignored;
      if (!std::filesystem::exists(file, ignored)) continue;
      std::cerr << "ratchet: the files in " << results.string()
                << " are still those of an earlier run" << std::endl;
      break;
    }
    throw;
  } catch (const Error& error) {
    const bool failed = error.code() == ExitCode::failed;
    const std::string line = printable(error.what());
    if (std::filesystem::exists(junit))
      write_atomically(junit, junit_xml({}, {}, failed ? line : ""));
    if (std::filesystem::exists(summary))
      write_atomically(summary, failed ? summary_of_error(line)
                                       : markdown_summary({}, {}, line + "\n", error.code()));
    throw;
  }
}

}  // namespace ratchet::gate
