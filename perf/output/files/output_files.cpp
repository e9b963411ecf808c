#include "perf/output/files/output_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <sstream>
#include <tuple>

#include "perf/gate/rule/thread_groups.h"
#include "perf/output/files/formats.h"
#include "perf/output/files/output.h"
#include "perf/output/files/output_row.h"
#include "perf/support/clock.h"
#include "perf/support/interruption.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The JSON entry of a row.
history::RowRecord kept(const RowReport& report) {
  const auto rounded = [](double value) { return tidy_number(value).get<double>(); };
  history::RowRecord row;
  row.name = printable(report.name);
  row.verdict = report.verdict;
  row.reason = printable(to_string(report.reason), 400);
  if (is_accepted(report)) row.accepted = history::accepted_text(*report.accepted);
  row.code_hash = report.code_hash;
  row.work = report.work;
  row.unit = unit_of(report);
  if (report.tolerance > 0) row.tolerance = rounded(report.tolerance);
  if (!report.decision) return row;
  row.ratio = rounded(report.decision->ratio);
  if (const auto& bounds = report.decision->simultaneous) {
    row.low = rounded(bounds->low);
    row.high = rounded(bounds->high);
  }
  if (std::isfinite(report.decision->detectable))
    row.detectable = rounded(report.decision->detectable);
  return row;
}

}  // namespace

json row_json(const RowReport& report) {
  const history::RowRecord row = kept(report);
  json entry = {{"verdict", report.verdict}, {"launches", report.launches}};
  const auto add = [&](const char* key, const auto& figure) {
    if (figure) entry[key] = tidy_number(*figure);
  };
  add("tolerance", row.tolerance);
  add("ratio", row.ratio);
  add("low", row.low);
  add("high", row.high);
  add("detectable", row.detectable);
  if (report.decision && report.decision->per_comparison) {
    entry["plain_low"] = tidy_number(report.decision->per_comparison->low);
    entry["plain_high"] = tidy_number(report.decision->per_comparison->high);
  }
  if (report.pair_s > 0) entry["pair_s"] = tidy_number(report.pair_s);
  if (report.baseline_launches > 0) entry["baseline_launches"] = report.baseline_launches;
  entry["unit"] = unit_of(report);
  if (const OutputRow shown = output_row(report, {}); shown.ratio && !shown.identical_work) {
    if (shown.before > 0) entry["before"] = tidy_number(shown.before);
    if (shown.call_before_s > 0) entry["call_before_ms"] = tidy_number(shown.call_before_s * 1e3);
    if (shown.call_s > 0) entry["call_ms"] = tidy_number(shown.call_s * 1e3);
  }
  if (const std::string clock = to_string(report.clock); !clock.empty()) entry["clock"] = clock;
  if (!row.reason.empty()) entry["reason"] = row.reason;
  if (!report.remarks.empty()) entry["remarks"] = texts(report.remarks);
  if (report.accepted)
    entry["accepted"] = {{"commit", report.accepted->commit},
                         {"share", report.accepted->share},
                         {"reason", report.accepted->why},
                         {"holds", report.accepted->holds}};
  if (report.accepted && report.accepted->removed) entry["accepted"]["removed"] = true;
  for (const AtLimit& limit : report.limits) {
    json at = {{"limit", printable(limit.limit)}, {"state", to_string(limit.state)}};
    if (limit.launches > 0) at["figure"] = tidy_number(limit.figure);
    if (limit.bounds)
      at.update(
          {{"low", tidy_number(limit.bounds->low)}, {"high", tidy_number(limit.bounds->high)}});
    if (limit.stored) at["stored"] = true;
    if (!limit.in_place_of.empty()) at["in_place_of"] = limit.in_place_of;
    entry["limits"].push_back(at);
  }
  if (const auto nodes = nodes_that_call_slower(report.remarks)) entry["slower_nodes"] = nodes;
  if (const auto reasons = output_row(report, {}).reasons; !reasons.empty())
    entry["reasons"] = reasons;
  for (const std::string& line : report.listing) entry["listing"].push_back(printable(line, 200));
  if (const std::string settles = what_would_settle_row(report); !settles.empty())
    entry["settles"] = settles;
  if (!row.code_hash.empty()) entry["code_hash"] = row.code_hash;
  if (!report.work.empty()) entry["work"] = report.work;
  if (report.identical_work) entry["identical_work"] = true;
  if (report.settled) entry["settled"] = true;
  if (report.paired) entry["paired"] = true;
  return entry;
}

namespace {

class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {}

  void write(const std::string& name, const std::string& text) {
    write_atomically(path_ / name, text);
    written_ += (written_.empty() ? "" : ", ") + name;
  }
  void write(const std::string& name, const json& content) {
    write(name, pretty(content, 2) + "\n");
  }
  /// Nothing is said of it: the rows' own lines tell why there is nothing to write.
  void leave_out(const std::string& name) {
    std::error_code ignored;
    fs::remove(path_ / name, ignored);
  }
  std::string told() const { return fmt::format("results in {}: {}", path_.string(), written_); }

 private:
  fs::path path_;
  std::string written_;
};

/// What the verdicts rest on: of a row measured in pairs with the build of its baseline, the pairs.
Measurements judged_launches(const Outcome& outcome) {
  Measurements judged = outcome.measured;
  for (const auto& [name, row] : outcome.pairs_now.rows) judged.rows[name] = row;
  return judged;
}

void write_trackers(Folder& folder, const Outcome& outcome) {
  const Measurements judged = judged_launches(outcome);
  const json tracker = tracker_json(judged);
  const std::pair<const char*, json> files[] = {
      {"tracker.json", tracker.at("benchmarks").empty() ? json() : tracker},
      {"throughput.json", throughput_json(judged, outcome.reports)},
      {"smaller.json", smaller_json(judged, outcome.reports)},
      {"bencher.json", bencher_json(judged)}};
  for (const auto& [name, content] : files)  // their readers refuse empty ones
    if (content.empty())
      folder.leave_out(name);
    else
      folder.write(name, content);
}

void write_compared(Folder& folder, const Outcome& outcome) {
  const ComparedLaunches compared = compared_launches(outcome);
  std::set<RowId> rows;
  for (const auto& [name, row] : compared.base.rows) rows.insert(name);
  if (rows.empty()) {
    for (const char* name : {"compare_base.json", "compare_new.json"}) folder.leave_out(name);
    return;
  }
  folder.write("compare_base.json", launches_json(compared.base, rows));
  folder.write("compare_new.json", launches_json(compared.now, rows));
}

}  // namespace

Measurements results(const Measurements& measured, const std::vector<RowReport>& reports,
                     const std::string& revision) {
  Measurements out = measured;
  json rows = json::object();
  for (const RowReport& report : reports) rows[printable(report.name)] = row_json(report);
  out.context["ratchet"] = {{"format", 1}, {"revision", revision}, {"rows", rows}};
  return out;
}

Measurements kept_results(const Outcome& outcome) {
  Measurements kept = results(outcome.measured, outcome.reports, outcome.revision);
  kept.context["ratchet"]["run"] = run_json(outcome);
  return kept;
}

void print_verdict(json context, const std::vector<RowReport>& reports, ExitCode code) {
  json& run = context.contains("run") ? context["run"] : context;  // a merged run is flat
  run["exit_code"] = static_cast<int>(code);
  for (const RowReport& report : reports)
    if (report.now.throughput > 0)
      context["rows"][printable(report.name)]["throughput"] = tidy_number(report.now.throughput);
  print_document(context, 3);
}

ComparedLaunches compared_launches(const Outcome& outcome) {
  ComparedLaunches sides;
  sides.base.context = outcome.base.context;
  sides.now.context = outcome.measured.context;
  const auto launches = [](const Measurements& pairs, const Measurements& all, const RowId& name) {
    const auto own = pairs.rows.find(name);
    return own == pairs.rows.end() ? all.rows.at(name) : own->second;
  };
  for (const RowId& name : common_rows(outcome.base, outcome.measured)) {
    std::tie(sides.base.rows[name], sides.now.rows[name]) =
        on_one_clock(launches(outcome.pairs_before, outcome.base, name),
                     launches(outcome.pairs_now, outcome.measured, name));
  }
  return sides;
}

json printable_lines(const std::string& text) {
  json lines = json::array();
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (!line.empty()) lines.push_back(printable(line, 1000));
  return lines;
}

namespace {

json json_of(const ThreadGroup& group) {
  json rows = json::array();
  for (const RowId& row : group.rows) rows.push_back(printable(row.text()));
  return {{"name", printable(group.name)},
          {"rows", rows},
          {"ratio", tidy_number(group.ratio)},
          {"low", tidy_number(group.bounds.low)},
          {"high", tidy_number(group.bounds.high)}};
}

}  // namespace

json run_json(const Outcome& outcome) {
  json run = to_json(outcome.circumstances);
  run["exit_code"] = static_cast<int>(exit_code(ending_of(outcome), outcome.policy));
  if (outcome.interrupted) run["interrupted"] = name_of_interruption();
  run["mode"] = !outcome.side_by_side ? "stored" : outcome.explainable ? "base" : "compare";
  run["note"] = printable_lines(outcome.note);
  for (const ThreadGroup& group : thread_groups(outcome.reports))
    run["thread_groups"].push_back(json_of(group));
  run["next"] = json::array();
  for (const NextStep& step : outcome.next)
    run["next"].push_back({{"purpose", step.purpose}, {"command", step.command}});
  return run;
}

history::RunRecord history_record(const Outcome& outcome, ExitCode code) {
  history::RunFacts facts;
  facts.time = utc_now();
  facts.exit_code = static_cast<int>(code);
  facts.commit = to_json(outcome.circumstances.provenance.now).get<decltype(facts.commit)>();
  facts.commit.erase("build");  // is gone when the history is read
  if (const auto& base = outcome.circumstances.provenance.base.commit; !base.empty())
    facts.commit["against"] = base;
  if (outcome.side_by_side) {
    facts.mode = outcome.explainable ? "base" : "compare";
    facts.base = &outcome.base;
  }
  std::vector<history::RowRecord> rows;
  for (const RowReport& report : outcome.reports) rows.push_back(kept(report));
  std::sort(rows.begin(), rows.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  history::RunRecord run =
      history::run_record(std::move(rows), judged_launches(outcome), outcome.revision, facts);
  if (!outcome.circumstances.id.empty()) run.id = outcome.circumstances.id;
  return run;
}

std::string write_outputs(const fs::path& path, const Outcome& outcome) {
  Folder folder(path);
  folder.write("gate.json", to_text(kept_results(outcome)));
  const ExitCode code = exit_code(ending_of(outcome), outcome.policy);
  folder.write("summary.md", markdown_summary(outcome.reports, outcome.policy, outcome.note, code));
  if (outcome.interrupted)  // no CI system knows half of a suite
    folder.leave_out("junit.xml");
  else
    folder.write("junit.xml", junit_xml(outcome.reports, outcome.policy, outcome.lost));
  write_trackers(folder, outcome);
  write_compared(folder, outcome);
  return folder.told();
}

void tell_github(const Outcome& outcome, std::ostream& out, std::ostream& progress) {
  const char* actions = std::getenv("GITHUB_ACTIONS");
  if (actions && std::string(actions) == "true")
    out << github_annotations(outcome.reports, outcome.policy) << std::flush;
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (!summary || !*summary) return;
  const std::string trouble =
      append_step_summary(summary, outcome.reports, outcome.policy, outcome.note,
                          exit_code(ending_of(outcome), outcome.policy));
  if (!trouble.empty()) progress << "ratchet: " << trouble << std::endl;
}

}  // namespace ratchet::gate
