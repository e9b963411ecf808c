#include "perf/gate/override.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet::gate {
namespace {

constexpr const char* form =
    "Ratchet-Accept: ROWS -3 % because REASON\", or \"Ratchet-Accept: ROWS changed because "
    "REASON\", or \"Ratchet-Accept: ROWS removed because REASON";
constexpr std::string_view special = ".*+?|()[]^$\\";

/// "family/backend/NN_idea/parameter:value": of its stage's name the rest is parameters. Of other
/// programs the rest may be a metric, which is another row.
bool is_of_stage(const RowId& row, const std::string& name) {
  const std::string stage = row.stage(), idea = row.idea(), settings = row.settings_text();
  const auto digit = [&](std::size_t at) { return idea[at] >= '0' && idea[at] <= '9'; };
  if (idea.size() < 3 || !digit(0) || !digit(1) || idea[2] != '_') return false;
  std::istringstream parts(settings);
  for (std::string part; std::getline(parts, part, '/');)
    if (part.find(':') == part.npos) return false;
  return stage == name || stage.substr(stage.find('/') + 1) == name;
}

/// ROWS, by which a row is named or not whatever other rows there are.
class StatedRows {
 public:
  /// Throws `Error` for a bad expression.
  explicit StatedRows(const std::string& text)
      : inverted_(text.starts_with('-')), name_(text.substr(inverted_ ? 1 : 0)) {
    if (!is_expression()) return;
    try {
      expression_ = std::regex(name_);
    } catch (const std::regex_error&) {
      throw Error("\"" + name_ +
                  "\" is neither a row, nor a stage, nor a valid regular expression");
    }
  }

  bool is_expression() const { return name_.find_first_of(special) != name_.npos; }

  bool name(const RowId& row) const {
    const std::string& text = row.text();
    const bool whole = name_.empty() || name_ == "all" || text == name_ ||
                       text.substr(text.find('/') + 1) == name_ || is_of_stage(row, name_);
    return (whole || (is_expression() && std::regex_search(text, expression_))) != inverted_;
  }

 private:
  bool inverted_;
  std::string name_;
  std::regex expression_;
};

/// Of the text after the colon; nothing where it has another form. Throws `Error` where its rows
/// are no expression.
std::optional<Override> read_override(const std::string& text, const std::string& commit) {
  static const std::regex shape(
      R"((\S+)\s+(changed|removed|-\s*(\d+(?:\.\d+)?)\s*%)\s+(?:because\s+(?!of\b))?(\S.*))");
  std::smatch found;
  if (!std::regex_match(text, found, shape)) return std::nullopt;
  const double share = found[3].matched ? std::stod(found[3]) / 100 : 0;
  if (found[3].matched && !(share > 0 && share < 1)) return std::nullopt;
  StatedRows{found[1]};  // throws
  return Override{found[1],
                  {.commit = commit,
                   .share = share,
                   .why = printable(found[4].str(), 200),
                   .removed = found[2] == "removed"}};
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

std::string trailer_name(const RowId& row) {
  const std::string& text = row.text();
  if (text != "all" && !text.starts_with('-') && text.find(' ') == text.npos &&
      text.find_first_of(special) == text.npos)
    return text;
  std::string expression = "^";
  for (const char c : text) {
    if (special.find(c) != special.npos || c == '{' || c == '}') expression += '\\';
    expression += c == ' ' ? '.' : c;
  }
  return expression + "$";
}

nlohmann::json to_json(const Override& each) {
  nlohmann::json made = {{"rows", each.rows},
                         {"commit", each.accepted.commit},
                         {"share", each.accepted.share},
                         {"reason", each.accepted.why}};
  if (each.accepted.removed) made["removed"] = true;
  return made;
}

namespace {

/// 0: that the rows are changed or gone.
double share_in(const Node& entry) {
  return entry.at("share").number() == 0 ? 0 : entry.at("share").positive();
}

}  // namespace

Override override_of(const Node& entry) {
  const std::string rows = entry.at("rows").text();
  StatedRows{rows};  // throws
  return {rows,
          {.commit = printable(entry.at("commit").text(), 40),
           .share = share_in(entry),
           .why = printable(entry.at("reason").text(), 200),
           .removed = entry.has("removed") && entry.at("removed").truth()}};
}

namespace {

/// The verdict that it accepts.
Verdict accepted_verdict(const AcceptedBy& by) {
  return by.removed ? Verdict::missing : by.share == 0 ? Verdict::changed : Verdict::slower;
}

std::string what_it_accepts(const AcceptedBy& by) {
  return by.removed      ? "removed"
         : by.share == 0 ? "changed"
                         : fmt::format("{:g} %", -100 * by.share);
}

}  // namespace

void apply_overrides(std::vector<RowReport>& reports, const std::vector<Override>& overrides) {
  for (const Override& each : overrides) {
    const StatedRows rows(each.rows);
    for (RowReport& report : reports) {
      if (report.accepted || report.verdict != accepted_verdict(each.accepted)) continue;
      if (!rows.name(report.name)) continue;
      report.accepted = each.accepted;
      // Nothing is accepted that is surely more than was stated.
      report.accepted->holds =
          report.verdict != Verdict::slower ||
          (report.decision && (!report.decision->simultaneous ||
                               report.decision->simultaneous->high >= 1 - each.accepted.share));
      report.remarks.push_back(*report.accepted);
    }
  }
}

std::vector<std::string> overrides_without_effect(const std::vector<RowReport>& reports,
                                                  const std::vector<Override>& overrides) {
  std::vector<std::string> lines;
  std::set<std::string> names;
  for (const RowReport& report : reports) names.insert(report.name);
  for (const Override& each : overrides) {
    const StatedRows rows(each.rows);
    const Verdict wanted = accepted_verdict(each.accepted);
    std::vector<const RowReport*> named;
    for (const RowReport& report : reports)
      if (rows.name(report.name)) named.push_back(&report);
    const auto fits = [&](const RowReport* report) { return report->verdict == wanted; };
    if (std::any_of(named.begin(), named.end(), fits)) continue;
    if (named.empty())
      lines.push_back(
          fmt::format("commit {:.12} accepts what became of {}, which this run does not measure{}",
                      each.accepted.commit, each.rows,
                      rows.is_expression() ? "" : did_you_mean_row(each.rows, names)));
    else
      lines.push_back(fmt::format(
          "commit {:.12} accepts nothing by its trailer \"Ratchet-Accept: {} {}\": {}",
          each.accepted.commit, each.rows, what_it_accepts(each.accepted),
          named.size() == 1
              ? fmt::format("{} is {}", named.front()->name, to_string(named.front()->verdict))
              : fmt::format("of {} rows that it names none is {}", named.size(),
                            to_string(wanted))));
  }
  return lines;
}

}  // namespace ratchet::gate
