#include "perf/gate/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "kernels/contract/row_filter.h"
#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

constexpr const char* form =
    "Ratchet-Accept: ROWS -3 % because REASON\", or \"Ratchet-Accept: ROWS changed because REASON";

/// Of the text after the colon; nothing where it has another form. Throws `Error` where its rows
/// are no expression.
std::optional<Override> read_override(const std::string& text, const std::string& commit) {
  static const std::regex shape(
      R"((\S+)\s+(?:changed|-\s*(\d+(?:\.\d+)?)\s*%)\s+(?:because\s+(?!of\b))?(\S.*))");
  std::smatch found;
  if (!std::regex_match(text, found, shape)) return std::nullopt;
  const double share = found[2].matched ? std::stod(found[2]) / 100 : 0;
  if (found[2].matched && !(share > 0 && share < 1)) return std::nullopt;
  RowFilter filter(found[1], {});
  return Override{found[1], {commit, share, printable(found[3].str(), 200)}};
}

}  // namespace

std::vector<Override> overrides_between(const std::filesystem::path& repository,
                                        const std::string& base, const std::string& now,
                                        const std::function<void(const std::string&)>& say) {
  std::string log;
  try {
    log = ask_git(
        repository,
        {"log", "--format=%H %(trailers:key=Ratchet-Accept,valueonly,unfold,separator=%x1f)",
         base + ".." + now});
  } catch (const Error&) {
    return {};
  }
  std::vector<Override> overrides;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::string commit = line.substr(0, line.find(' '));
    std::istringstream trailers(line.substr(commit.size()));
    for (std::string text; std::getline(trailers, text, '\x1f');) {
      const std::string value = text.substr(std::min(text.find_first_not_of(' '), text.size()));
      if (value.empty()) continue;
      try {
        if (const auto read = read_override(trimmed(value), commit)) {
          overrides.push_back(*read);
          continue;
        }
      } catch (const Error& error) {
        say(fmt::format("commit {:.12} accepts nothing: in its trailer {}", commit, error.what()));
        continue;
      }
      say(
          fmt::format("commit {:.12} accepts nothing: its trailer \"Ratchet-Accept: {}\" has not "
                      "the form \"{}\"",
                      commit, printable(value, 100), form));
    }
  }
  return overrides;
}

nlohmann::json to_json(const Override& each) {
  return {{"rows", each.rows},
          {"commit", each.accepted.commit},
          {"share", each.accepted.share},
          {"reason", each.accepted.why}};
}

namespace {

/// 0: that the rows are changed.
double share_in(const Node& entry) {
  return entry.at("share").number() == 0 ? 0 : entry.at("share").positive();
}

}  // namespace

Override override_of(const Node& entry) {
  const std::string rows = entry.at("rows").text();
  RowFilter filter(rows, {});  // throws for a bad expression
  return {rows,
          {printable(entry.at("commit").text(), 40), share_in(entry),
           printable(entry.at("reason").text(), 200)}};
}

void apply_overrides(std::vector<RowReport>& reports, const std::vector<Override>& overrides) {
  std::set<RowId> names;  // all: a whole name means only the row that has it
  for (const RowReport& report : reports) names.insert(report.name);
  for (RowReport& report : reports) {
    const bool changed = report.verdict == Verdict::changed;
    if (!changed && report.verdict != Verdict::slower) continue;
    for (const Override& each : overrides) {
      if (changed != (each.accepted.share == 0)) continue;
      if (!select_stated(names, each.rows).count(report.name)) continue;
      report.accepted = each.accepted;
      // Nothing is accepted that is surely more than was stated.
      report.accepted->holds =
          changed ||
          (report.decision && (!report.decision->simultaneous ||
                               report.decision->simultaneous->high >= 1 - each.accepted.share));
      report.remarks.push_back(*report.accepted);
      break;
    }
  }
}

}  // namespace ratchet::gate
