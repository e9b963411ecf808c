// Digests that are accepted by themselves.
#include <fmt/format.h>

#include <sstream>

#include "perf/support/error.h"
#include "kernels/contract/row_filter.h"
#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/accept_history.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

using nlohmann::json;
using Digests = std::map<std::string, std::string>;

/// The selected rows whose digest differs, with the new digest.
Digests moved(const WorkRenewal& renewal, const std::vector<std::string>& patterns) {
  std::set<std::string> names, chosen;
  for (const auto& [row, now] : renewal.is)
    if (const auto was = renewal.was.find(row); was != renewal.was.end() && was->second != now)
      names.insert(row);
  for (const std::string& pattern : patterns) {
    std::set<std::string> selected = select_rows(names, pattern);
    if (selected.empty())
      throw Error(fmt::format(
          "\"{}\" matches no row whose digest differs between --work-was and --work-is", pattern));
    chosen.merge(selected);
  }
  Digests digests;
  for (const std::string& row : patterns.empty() ? names : chosen)
    digests[row] = renewal.is.at(row);
  return digests;
}

FileChange renewed(const StoredFile& file, const Digests& now, const WorkRenewal& renewal,
                   const AcceptRequest& request) {
  FileChange change{file.path, {}, file.content};
  json& ratchet = change.after.context["ratchet"];
  const json stored = ratchet.value("work", json::object());
  json entry = {{"date", request.date}, {"reason", request.reason}, {"revision", renewal.revision}};
  for (const auto& [name, row] : file.content.rows) {
    const auto digest = now.find(name);
    if (digest == now.end() || stored.value(name, json()) != renewal.was.at(name)) continue;
    ratchet["work"][name] = digest->second;
    entry["was"][name] = {{"work", renewal.was.at(name)}};
    change.rows.push_back({name, row, row, "has the new digest and keeps its figures"});
  }
  if (!change.rows.empty()) ratchet["history"] = history_with(file.content, entry, file.path);
  return change;
}

}  // namespace

Digests read_listed_work(const std::filesystem::path& file) {
  Digests digests;
  std::istringstream lines(read_text(file));
  for (std::string line; std::getline(lines, line);) {
    const json entry = parse_json(line, file.string());
    if (!entry.is_object())
      throw Error(fmt::format("{} is not the output of `ratchet-bench --ratchet_list_work`",
                              file.string()));
    if (!entry.contains("row")) continue;
    const json row = entry["row"], work = entry.value("work", json());
    if (!row.is_string() || !work.is_string())
      throw Error(fmt::format(
          "{} holds no digest of {}; write it again with `ratchet-bench --ratchet_list_work`",
          file.string(), row.dump()));
    digests[row.get<std::string>()] = work.get<std::string>();
  }
  if (digests.empty())
    throw Error(fmt::format(
        "{} holds no row; write it again with `ratchet-bench --ratchet_list_work`", file.string()));
  return digests;
}

std::vector<FileChange> plan_renewal(const WorkRenewal& renewal, const AcceptRequest& request,
                                     const BaselineStore& store) {
  require_reason(request);
  const Digests now = moved(renewal, request.rows);
  std::vector<FileChange> changes;
  for (const StoredFile& file : store.files()) {
    FileChange change = renewed(file, now, renewal, request);
    if (!change.rows.empty()) changes.push_back(std::move(change));
  }
  if (changes.empty())
    throw Error(
        "nothing to write: no stored row has a digest that differs between --work-was and "
        "--work-is");
  return changes;
}

}  // namespace ratchet
