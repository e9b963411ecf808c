#include <fmt/format.h>

#include <array>
#include <map>

#include "perf/output/files/formats.h"
#include "perf/output/files/output_row.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

struct Counts {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  double seconds = 0;

  void add(const Counts& other) {
    tests += other.tests;
    failures += other.failures;
    errors += other.errors;
    skipped += other.skipped;
    seconds += other.seconds;
  }
  std::string attributes() const {
    return fmt::format(
        R"(tests="{}" failures="{}" disabled="0" errors="{}" skipped="{}" time="{:.9g}")", tests,
        failures, errors, skipped, seconds);
  }
};

std::string property(const char* name, const std::string& value) {
  return fmt::format("        <property name=\"{}\" value=\"{}\"/>\n", name, xml_escape(value));
}

std::string properties(const OutputRow& row) {
  std::string text = property("verdict", to_string(row.verdict));
  const auto number = [&](const char* name, double value) {
    text += property(name, fmt::format("{:.7g}", value));
  };
  if (row.ratio) number("ratio", *row.ratio);
  if (row.interval) number("low", row.interval->low);
  if (row.interval) number("high", row.interval->high);
  if (row.detectable) number("detectable", *row.detectable);
  if (row.tolerance > 0) number("tolerance", row.tolerance);
  number("launches", static_cast<double>(row.launches));
  number("baseline_launches", static_cast<double>(row.baseline_launches));
  if (row.throughput > 0) number("units_per_second", row.throughput);
  for (const std::string& reason : row.reasons) text += property("differs", reason);
  return "      <properties>\n" + text + "      </properties>\n";
}

/// Counts the row and returns its failure element; empty if it passed.
std::string complaint_element(const OutputRow& row, Counts& counts) {
  const std::string message = xml_escape(sentence(row));
  std::string body = message;
  for (const std::string& reason : row.reasons) body += "\n- " + xml_escape(reason);
  const auto element = [&](const char* tag) {
    return fmt::format("      <{0} message=\"{1}\" type=\"{2}\">{3}</{0}>\n", tag, message,
                       row.outcome == ExitCode::regression && row.verdict != Verdict::slower
                           ? "limit exceeded"
                           : to_string(row.verdict),
                       body);
  };
  switch (row.outcome) {
    case ExitCode::regression:
    case ExitCode::undecided:
      ++counts.failures;
      return element("failure");
    case ExitCode::failed:
      ++counts.errors;
      return element("error");
    case ExitCode::nothing_ran:
      break;
    case ExitCode::pass:
      if (row.verdict != Verdict::uncompared && row.verdict != Verdict::added &&
          row.verdict != Verdict::undecided)
        return "";
  }
  ++counts.skipped;
  return fmt::format("      <skipped message=\"{}\"/>\n", message);
}

std::string case_element(const OutputRow& row, Counts& counts) {
  const std::string complaint = complaint_element(row, counts);
  ++counts.tests;
  counts.seconds += row.call_s;
  const bool ran = row.launches > 0;
  return fmt::format(
      "    <testcase name=\"{}\" classname=\"{}\" status=\"{}\" result=\"{}\" time=\"{:.9g}\">\n"
      "{}{}    </testcase>\n",
      xml_escape(row.name), xml_escape(row.family), ran ? "run" : "notrun",
      ran ? "completed" : "suppressed", row.call_s, complaint, properties(row));
}

std::string loss_suite(const std::string& lost, Counts& all) {
  Counts counts;
  counts.tests = counts.errors = 1;
  all.add(counts);
  return fmt::format(
      "  <testsuite name=\"results\" {}>\n"
      "    <testcase name=\"kept\" classname=\"results\" status=\"run\" result=\"completed\" "
      "time=\"0\">\n"
      "      <error message=\"{}\" type=\"failed\"/>\n    </testcase>\n  </testsuite>\n",
      counts.attributes(), xml_escape(lost));
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (const std::size_t which = std::string_view("&<>\"'").find(c); which != text.npos)
      out += std::array{"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}[which];
    else
      out += c;
  return out;
}

std::string xml_escape(std::string_view text) { return escaped(printable(text)); }

std::string junit_xml(const std::vector<RowReport>& reports, const Policy& policy,
                      const std::string& lost) {
  std::map<std::string, std::pair<Counts, std::string>> suites;
  for (const RowReport& report : reports) {
    const OutputRow row = output_row(report, policy);
    auto& [counts, cases] = suites[row.family];
    cases += case_element(row, counts);
  }
  Counts all;
  std::string body;
  for (const auto& [family, suite] : suites) {
    all.add(suite.first);
    body += fmt::format("  <testsuite name=\"{}\" {}>\n{}  </testsuite>\n", xml_escape(family),
                        suite.first.attributes(), suite.second);
  }
  if (!lost.empty()) body += loss_suite(lost, all);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"ratchet\" {}>\n{}</testsuites>\n",
      all.attributes(), body);
}

}  // namespace ratchet::gate
