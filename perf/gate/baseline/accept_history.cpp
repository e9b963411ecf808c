#include <fmt/format.h>

#include "perf/gate/baseline/accept.h"
#include "perf/stats/quantile.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;

constexpr std::size_t entries_with_figures = 20;
constexpr std::size_t entries = 100;

const json& ratchet_of(const Measurements& measurements) {
  static const json none = json::object();
  const auto found = measurements.context.find("ratchet");
  return found == measurements.context.end() ? none : *found;
}

json history_of(const Measurements& stored, const std::string& file) {
  json history = ratchet_of(stored).value("history", json::array());
  if (!history.is_array()) throw Error(fmt::format("the history in {} is not a list", file));
  return history;
}

/// What the file held of a row, as its history keeps it.
json was(const RowChange& change, const Measurements& before, const AcceptRequest& request) {
  if (!change.before) return nullptr;
  if (request.keeps_figures() && !request.tolerance) return {{"limits", change.before->limits}};
  if (request.tolerance) {
    const auto& tolerance = change.before->tolerance;
    return {{"tolerance", tolerance ? tidy_number(*tolerance) : json()}};
  }
  return {{"units_per_second", tidy_number(stats::median(change.before->throughputs()))},
          {"launches", change.before->launches.size()},
          {"revision", revision_of_row(before, change.name)}};
}

void bound(json& history) {
  while (history.size() > entries) history.erase(history.begin());
  for (std::size_t i = 0; i + entries_with_figures < history.size(); ++i) {
    if (history[i].is_object()) history[i].erase("was");
  }
}

/// What the rows were measured with, where known: of one kind, under the key that files keep it by
/// and the one that results give it by.
json executed_after(const char* kept, const char* given, const FileChange& change,
                    const Measurements& before, const AcceptRequest& request,
                    const json& measured_rows) {
  json code = json::object();
  const json known = ratchet_of(before).value(kept, json::object());
  for (const auto& [name, row] : change.after.rows) {
    if (known.is_object() && known.contains(name)) code[name] = known[name];
  }
  if (request.keeps_figures()) return code;
  for (const RowChange& row : change.rows) {
    code.erase(row.name);
    if (!row.after || !measured_rows.is_object()) continue;
    const auto found = measured_rows.find(row.name);
    if (found != measured_rows.end() && found->is_object() && found->contains(given))
      code[row.name] = (*found)[given];
  }
  return code;
}

/// A further occasion gets the current revision, if it is a commit: it is identical work, and its
/// program supports the newest protocol.
json revisions_after(const FileChange& change, const Measurements& before,
                     const AcceptRequest& request, const std::string& measured) {
  const bool kept = request.keeps_figures() || (request.occasion && !is_committed(measured));
  json revisions = json::object();
  for (const auto& [name, row] : change.after.rows) revisions[name] = revision_of_row(before, name);
  for (const RowChange& row : change.rows) {
    if (row.after && !kept) revisions[row.name] = measured;
  }
  return revisions;
}

}  // namespace

std::string revision_of(const Measurements& results) {
  const json revision = ratchet_of(results).value("revision", json());
  return revision.is_string() ? revision.get<std::string>() : "unknown";
}

bool is_committed(const std::string& revision) {
  return revision != "unknown" && !revision.ends_with("-dirty");
}

std::string revision_of_row(const Measurements& stored, const RowId& row) {
  const json& ratchet = ratchet_of(stored);
  if (const auto all = ratchet.find("revisions"); all != ratchet.end() && all->is_object()) {
    const auto found = all->find(row);
    if (found != all->end() && found->is_string()) return found->get<std::string>();
  }
  // Older files lack "revisions": the row's revision is certain only after a single accept.
  const json history = ratchet.value("history", json::array());
  if (history.is_array() && history.size() == 1 && history[0].is_object() &&
      history[0].contains("revision") && history[0]["revision"].is_string())
    return history[0]["revision"].get<std::string>();
  return "unknown";
}

bool is_of_figures(const json& entry) {
  return entry.is_object() && !entry.contains("tolerance") && !entry.contains("limits");
}

json history_with(const Measurements& stored, const json& entry,
                  const std::filesystem::path& file) {
  json history = history_of(stored, file.string());
  history.push_back(entry);
  bound(history);
  return history;
}

bool is_of_last_occasion(const Measurements& results, const AcceptRequest& request,
                         const Measurements& stored, const RowId& row) {
  const json none = json::object();
  const std::string began = ratchet_of(results).value("run", none).value("began", request.date);
  const json history = history_of(stored, "the baseline");
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    const json was = entry->is_object() ? entry->value("was", none) : none;
    if (!was.is_object() || !was.contains(row.text()) || !is_of_figures(*entry)) continue;
    if (const json& figures = was[row.text()]; figures.is_object() && figures.contains("work"))
      continue;  // a renewed digest
    return began.substr(0, 10) <= entry->value("date", "").substr(0, 10);
  }
  return false;
}

json ratchet_after(const FileChange& change, const Measurements& before,
                   const AcceptRequest& request, const Measurements& results) {
  const std::string measured = revision_of(results);
  const std::string family = change.path.stem().string();
  json entry = {{"date", request.date}, {"reason", request.reason}, {"revision", measured}};
  if (request.tolerance) entry["tolerance"] = tidy_number(*request.tolerance);
  for (const RowChange& row : change.rows) {
    if (request.keeps_figures() && !request.tolerance)
      entry["limits"][row.name] = row.after->limits;
    entry["was"][row.name] = was(row, before, request);
  }
  const json history = history_with(before, entry, change.path);
  const json rows = ratchet_of(results).value("rows", json::object());
  json after = {{"format", 1},
                {"family", family},
                {"history", history},
                {"revisions", revisions_after(change, before, request, measured)},
                {"code", executed_after("code", "code_hash", change, before, request, rows)},
                {"work", executed_after("work", "work", change, before, request, rows)}};
  for (const auto& [name, row] : change.after.rows)
    if (!is_verified(row)) after["unverified"] = "allowed";
  return after;
}

}  // namespace ratchet
