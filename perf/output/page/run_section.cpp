#include <fmt/format.h>

#include <string_view>

#include "perf/gate/baseline/measurements.h"
#include "perf/gate/provenance.h"
#include "perf/output/page/row_model.h"
#include "perf/output/page/sections.h"
#include "perf/output/page/series.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json fact(const std::string& name, const std::string& text) { return {name, printable(text, 300)}; }

std::string field(const Fingerprint& machine, const char* name) {
  const auto found = machine.fields.find(name);
  return found == machine.fields.end() ? "" : found->second;
}

/// When the run began, as utc_time(); empty if unknown.
std::string time_of(const json& run, const json& context) {
  const std::string stated = run.value("began", "");
  const json date = context.value("date", json());
  const auto time =
      stated.empty() && date.is_string() ? utc_time(date.get<std::string>()) : utc_time(stated);
  return time.value_or("");
}

std::string time_text(const json& run, const json& context) {
  const std::string time = time_of(run, context);
  return time.empty() ? "unknown" : time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
}

std::string load_text(const Node& run) {
  std::string text;
  for (const double average : run.at("load").numbers())
    text += fmt::format("{}{:.2f}", text.empty() ? "" : ", ", average);
  return text.empty() ? "unknown" : text;
}

/// Build, baseline, time, duration, load: a name and a text each.
json facts_of(const Measurements& results, const Node& run, const std::string& revision) {
  json facts = json::array();
  facts.push_back(fact("machine", machine_text(results.fingerprint())));
  if (!run.has("commits"))  // else they say more
    facts.push_back(fact("this build", revision.empty() ? "unknown" : revision));
  if (run.has("against")) facts.push_back(fact("against", run.at("against").text()));
  facts.push_back(fact("when", time_text(run.value(), results.context)));
  if (run.has("seconds"))
    facts.push_back(fact("took", fmt::format("{} of {}", duration(run.at("seconds").number()),
                                             duration(run.at("budget_s").number()))));
  if (run.has("load")) facts.push_back(fact("load before", load_text(run)));
  return facts;
}

/// The findings of `ratchet doctor` in that run that hurt measurement.
json complaints(const Node& run) {
  json list = json::array();
  for (const Node& each : run.list_or_empty("doctor"))
    if (each.at("state").text() == "hurts")
      list.push_back({{"check", printable(each.at("check").text(), 100)},
                      {"found", printable(each.at("found").text(), 300)},
                      {"effect", printable(each.at("effect").text(), 300)},
                      {"fix", printable(each.at("fix").text(), 300)}});
  return list;
}

/// The compared launches of one side; none without the file.
std::map<RowId, Row> compared_launches(const fs::path& file) {
  std::map<RowId, Row> rows;
  if (!fs::exists(file)) return rows;
  const json root = read_json(file);
  for (const Node& each : Node(root, file.string()).at("benchmarks").list()) {
    const std::string name = each.at("name").text();
    rows[name].name = name;
    rows[name].launches.push_back(parse_launch(each.value(), file.string() + ": " + name));
  }
  return rows;
}

/// What settles an undecided row if the run does not state it, by the way its sides were measured.
std::string settled_by(const Node& run) {
  const std::string mode = run.text_or_empty("mode");
  if (run.has("interrupted")) return "the same command, run to its end";
  if (mode == "files") return "more launches on both sides";
  if (mode == "base" || mode == "compare") return "a longer --budget-s, or a wider tolerance";
  std::string base;
  if (run.has("commits") && run.at("commits").has("base"))
    base = printable(run.at("commits").at("base").text_or_empty("commit").substr(0, 12));
  return "both builds side by side: --base " +
         (base.empty() ? "REV, with a commit that you name" : base);
}

/// Rows with their measurements, worst first.
std::vector<RowModel> rows_of(const KeptRun& kept, const Node& verdicts, const Node& run) {
  std::vector<RowModel> rows;
  for (const auto& [name, entry] : verdicts.members()) {
    RowModel row = row_model(name, entry);
    const auto base = kept.base.find(name), compared = kept.now.find(name);
    const auto measured = kept.results.rows.find(name);
    if (row.verdict == gate::Verdict::undecided && !row.model.contains("settles"))
      row.model["settles"] = settled_by(run);
    if (base != kept.base.end()) row.model["base"] = launch_series(base->second);
    if (row.model.contains(json::json_pointer("/base/median")) && !row.model.contains("before"))
      row.model["before"] = row.model["base"]["median"];  // as in results of older versions
    if (compared != kept.now.end())
      row.model["now"] = launch_series(compared->second);
    else if (measured != kept.results.rows.end())
      row.model["now"] = launch_series(measured->second);
    if (measured != kept.results.rows.end())
      add_conditions(row.model, measured->second,
                     base == kept.base.end() ? nullptr : &base->second);
    rows.push_back(std::move(row));
  }
  sort_worst_first(rows);
  return rows;
}

json notes_of(const Node& run) {
  json notes = json::array();
  for (const Node& line : run.list_or_empty("note")) notes.push_back(line.text());
  return notes;
}

/// "Gate" for a run against a stored baseline or a base revision, else "Comparison".
std::string title_of(const Node& run, const fs::path& file) {
  const std::string mode = run.text_or_empty("mode");
  const bool two_programs =
      (mode == "base" || mode == "compare") && !run.text_or_empty("against").starts_with("base: ");
  return two_programs || file.filename() == "compare.json" ? "Comparison" : "Gate";
}

}  // namespace

json shown_commit(const std::map<std::string, std::string>& facts) {
  json commit = json::object();
  for (const char* key :
       {"commit", "subject", "author", "branch", "date", "build", "url", "against"}) {
    const auto found = facts.find(key);
    if (found == facts.end() || found->second.empty()) continue;
    if (std::string_view(key) == "url" && !gate::is_web_address(found->second)) continue;
    commit[key] = printable(found->second, 600);
  }
  return commit;
}

void add_provenance(json& section, const Node& run, const std::string& revision,
                    const std::string& time) {
  if (!time.empty()) section["time"] = time;
  if (!revision.empty()) section["revision"] = printable(revision, 60);
  if (run.has("project")) section["project"] = printable(run.at("project").text(), 100);
  for (const char* key : {"url", "ci_run"})
    if (const std::string address = run.text_or_empty(key); gate::is_web_address(address))
      section[key] = address;
  if (!run.has("commits")) return;
  for (const char* side : {"now", "base"})
    if (run.at("commits").has(side))
      section["commits"][side] = shown_commit(run.at("commits").at(side).text_map());
}

std::string machine_text(const Fingerprint& machine) {
  std::string text = field(machine, "cpu.model");
  if (const std::string cores = field(machine, "cpu.cores"); !cores.empty())
    text += fmt::format(", {} CPUs", cores);
  if (const std::string gpu = field(machine, "gpu.model"); !gpu.empty())
    text += (text.empty() ? "" : "; ") + gpu;
  return text.empty() ? "unknown" : text;
}

json counts_of(const std::vector<RowModel>& rows) {
  std::size_t identical = 0, measured = 0, decided = 0;
  for (const RowModel& row : rows) {
    const bool compared =
        row.ratio && row.verdict != gate::Verdict::uncompared && !row.identical_work;
    identical += row.identical_work;
    measured += compared;
    decided += compared && row.verdict != gate::Verdict::undecided;
  }
  return {{"rows", rows.size()},
          {"identical", identical},
          {"measured", measured},
          {"decided", decided}};
}

KeptRun read_run(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return {file, read_measurements(file), compared_launches(folder / "compare_base.json"),
          compared_launches(folder / "compare_new.json")};
}

json run_section(const KeptRun& kept, const std::string& history) {
  const auto& [file, results, base, now] = kept;
  const json& ratchet = results.context.at("ratchet");
  const std::string where = file.string() + ".context.ratchet";
  const Node root(ratchet, where);
  if (!root.has("rows"))
    throw Error(file.string() +
                " has launches and no verdicts: it is a baseline or a raw measurement; "
                "`ratchet report FILES` without -o shows those as a table");
  const json run_value = ratchet.value("run", json::object());
  const Node run(run_value, where + ".run");
  const std::vector<RowModel> rows = rows_of(kept, root.at("rows"), run);
  json section = {{"kind", "run"},
                  {"title", title_of(run, file)},
                  {"verdict", verdict_of(rows, run)},
                  {"facts", facts_of(results, run, root.text_or_empty("revision"))},
                  {"doctor", complaints(run)},
                  {"doctor_asked", run.has("doctor")},
                  {"notes", notes_of(run)},
                  {"counts", counts_of(rows)},
                  {"rows", models_of(rows)}};
  add_provenance(section, run, root.text_or_empty("revision"), time_of(run_value, results.context));
  if (run.has("commands")) section["commands"] = run.at("commands").text_map();
  section["history"] = history_of_rows(history, results.fingerprint(), section["rows"]);
  return section;
}

}  // namespace ratchet::report
