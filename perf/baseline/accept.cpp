#include "perf/baseline/accept.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "kernels/support/error.h"
#include "perf/baseline/json_file.h"
#include "perf/stats/centre.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// The verdict that the gate run left for every row it spoke of, the missing ones too.
std::map<std::string, std::string> verdicts(const Measurements& results) {
  std::map<std::string, std::string> found;
  const json& ratchet = results.context.at("ratchet");
  const auto rows = ratchet.find("rows");
  if (rows == ratchet.end() || !rows->is_object())
    throw Error("these are no results of a gate run: context.ratchet.rows is missing");
  for (const auto& [name, entry] : rows->items()) {
    if (!entry.is_object() || !entry.contains("verdict") || !entry["verdict"].is_string())
      throw Error(fmt::format("the results give no verdict for {}", name));
    found[name] = entry["verdict"].get<std::string>();
  }
  return found;
}

std::set<std::string> chosen_rows(const std::map<std::string, std::string>& verdicts,
                                  const std::vector<std::string>& patterns) {
  std::set<std::string> names;
  for (const auto& [name, verdict] : verdicts) {
    if (!patterns.empty() || verdict != "unavailable") names.insert(name);
  }
  if (patterns.empty()) return names;
  std::set<std::string> chosen;
  for (const std::string& pattern : patterns) {
    const std::set<std::string> selected = select_rows(names, pattern);
    if (selected.empty()) throw Error(fmt::format("\"{}\" matches no row of the results", pattern));
    chosen.insert(selected.begin(), selected.end());
  }
  return chosen;
}

void refuse_unfit(const std::set<std::string>& chosen,
                  const std::map<std::string, std::string>& verdicts, bool named) {
  static const std::set<std::string> fit = {"same", "faster",  "slower",
                                            "new",  "changed", "uncompared"};
  std::string unfit;
  for (const std::string& name : chosen) {
    const std::string& verdict = verdicts.at(name);
    if (fit.count(verdict) || (verdict == "missing" && named)) continue;
    unfit += fmt::format("{}{} ({})", unfit.empty() ? "" : ", ", name, verdict);
  }
  if (!unfit.empty())
    throw Error("not accepted, nothing written: " + unfit +
                (named ? "" : "; name the rows that you want, or measure again"));
}

/// Where a row's baseline is, or is to be.
std::filesystem::path destination(const std::string& row, const Fingerprint& here,
                                  const AcceptRequest& request, const Store& store) {
  const std::string family = family_of(row);
  if (request.machine.empty()) {
    if (const StoredFile* file = store.find(family, device_of(row), here)) return file->path;
  }
  const std::string machine =
      request.machine.empty() ? here.machine_slug(device_of(row)) : request.machine;
  return store.folder() / machine / (family + ".json");
}

/// Rows that stay must have been measured under the fingerprint that the file will state.
void refuse_mixed_fingerprints(const FileChange& change, const Measurements& before) {
  for (const auto& [name, row] : change.after.rows) {
    const bool replaced = std::any_of(change.rows.begin(), change.rows.end(),
                                      [&](const RowChange& r) { return r.name == name; });
    if (replaced) continue;
    const auto differences =
        before.fingerprint().differences(change.after.fingerprint(), device_of(name));
    if (differences.empty()) continue;
    const FieldDifference& first = differences.front();
    throw Error(
        fmt::format("{} was measured elsewhere ({}: {} there, {} here), and {} would stay in it; "
                    "accept all its "
                    "rows at once, or keep both with --machine NAME",
                    change.path.string(), first.field, first.stored, first.here, name));
  }
}

json context_after(const Measurements& results, const Measurements& before,
                   const AcceptRequest& request, const std::string& family) {
  json context = results.context;
  const json measured = context["ratchet"];
  json history = json::array();
  if (before.context.contains("ratchet") && before.context["ratchet"].contains("history"))
    history = before.context["ratchet"]["history"];
  if (!history.is_array())
    throw Error(fmt::format("the history in {} is not a list", family + ".json"));
  history.push_back({{"date", request.date},
                     {"reason", request.reason},
                     {"revision", measured.value("revision", json("unknown"))}});
  context["ratchet"] = {{"format", 1}, {"family", family}, {"history", history}};
  return context;
}

FileChange file_change(const std::filesystem::path& path, const std::set<std::string>& names,
                       const Measurements& results, const AcceptRequest& request,
                       const Measurements& before) {
  FileChange change{path, {}, before};
  for (const std::string& name : names) {
    RowChange row{name, std::nullopt, std::nullopt};
    if (const auto old = before.rows.find(name); old != before.rows.end()) row.before = old->second;
    if (const auto now = results.rows.find(name); now != results.rows.end()) {
      row.after = now->second;
      if (row.before) row.after->tolerance = row.before->tolerance;
      change.after.rows[name] = *row.after;
    } else {
      change.after.rows.erase(name);
    }
    change.rows.push_back(row);
  }
  change.after.context = context_after(results, before, request, path.stem().string());
  refuse_mixed_fingerprints(change, before);
  return change;
}

std::string change_line(const RowChange& change) {
  const auto centre = [](const Row& row) { return stats::median(row.throughputs()); };
  if (!change.after) {
    return fmt::format("  {:<40} {:>11.5g} -> removed\n", change.name, centre(*change.before));
  }
  const double now = centre(*change.after);
  const std::size_t launches = change.after->launches.size();
  if (!change.before)
    return fmt::format("  {:<40} {:>11} -> {:.5g} units/s (new, {} launches)\n", change.name, "-",
                       now, launches);
  const double old = centre(*change.before);
  return fmt::format("  {:<40} {:>11.5g} -> {:.5g} units/s ({:+.2f} %, {} launches)\n", change.name,
                     old, now, (now / old - 1) * 100, launches);
}

}  // namespace

std::set<std::string> select_rows(const std::set<std::string>& names, const std::string& pattern) {
  std::set<std::string> selected;
  for (const std::string& name : names) {
    if (name == pattern || stage_of(name) == pattern) selected.insert(name);
  }
  if (!selected.empty()) return selected;
  try {
    const std::regex expression(pattern);
    for (const std::string& name : names) {
      if (std::regex_search(name, expression)) selected.insert(name);
    }
  } catch (const std::regex_error&) {
    throw Error(fmt::format("\"{}\" is no valid regular expression", pattern));
  }
  return selected;
}

std::vector<FileChange> plan_accept(const Measurements& results, const AcceptRequest& request,
                                    const Store& store) {
  if (request.reason.find_first_not_of(" \t\n") == std::string::npos)
    throw Error("a reason is required: --reason TEXT says why the baseline moves");
  const auto verdict = verdicts(results);
  const std::set<std::string> chosen = chosen_rows(verdict, request.rows);
  if (chosen.empty()) throw Error("the results hold no row to accept");
  refuse_unfit(chosen, verdict, !request.rows.empty());

  const Fingerprint here = results.fingerprint();
  std::map<std::filesystem::path, std::set<std::string>> by_file;
  for (const std::string& name : chosen)
    by_file[destination(name, here, request, store)].insert(name);
  std::vector<FileChange> changes;
  for (const auto& [path, names] : by_file) {
    const StoredFile* stored =
        store.at(path.parent_path().filename().string(), path.stem().string());
    changes.push_back(
        file_change(path, names, results, request, stored ? stored->content : Measurements{}));
  }
  return changes;
}

std::string describe(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    text += change.path.string() + "\n";
    for (const RowChange& row : change.rows) text += change_line(row);
  }
  return text;
}

void apply(const std::vector<FileChange>& changes) {
  for (const FileChange& change : changes) write_atomically(change.path, to_text(change.after));
}

}  // namespace ratchet
