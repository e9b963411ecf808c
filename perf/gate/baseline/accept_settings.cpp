// Tolerances and limits of stored rows, whose figures stay.
#include <fmt/format.h>

#include <map>
#include <set>

#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/units.h"
#include "perf/support/error.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

using nlohmann::json;
using RowsByFile = std::map<const StoredFile*, std::set<RowId>>;

/// A tolerance below what the gate can detect in this row is stored, with a remark.
std::string remark_on(const Measurements& results, const RowId& name, double tolerance) {
  const json& rows = results.context.at("ratchet").at("rows");
  const auto entry = rows.find(name.text());
  if (entry == rows.end() || !entry->is_object()) return "";
  const json detectable = entry->value("detectable", json());
  const json allowed = entry->value("tolerance", json());
  if (!detectable.is_number() || !allowed.is_number()) return "";
  const double blind = detectable.get<double>() - allowed.get<double>();
  if (blind <= tolerance) return "";
  return fmt::format("the noise of its launches hides changes up to {:.1f} % beyond this tolerance",
                     blind * 100);
}

/// The stored rows of this machine.
RowsByFile stored_rows(const Measurements& results, const AcceptRequest& request,
                       const BaselineStore& store) {
  const Fingerprint here = results.fingerprint();
  if (here.fields.empty() && request.machine.empty())
    throw Error(
        "these results have no launch, so their machine is unknown; gate rows that run first");
  RowsByFile found;
  for (const StoredFile& file : store.files())
    for (const auto& [name, row] : file.content.rows) {
      const bool of_this_machine = request.machine.empty()
                                       ? file.content.fingerprint().matches(here, name.device())
                                       : file.machine == request.machine;
      if (of_this_machine) found[&file].insert(name);
    }
  return found;
}

/// Those of `all` that `choose` selects of each file. Throws `Error`, naming what was asked for,
/// where there are none.
template <class Choose>
RowsByFile chosen_of(const RowsByFile& all, const std::string& asked, const Choose& choose) {
  RowsByFile found;
  for (const auto& [file, names] : all)
    if (auto chosen = choose(*file, names); !chosen.empty()) found[file] = std::move(chosen);
  if (found.empty())
    throw Error(
        fmt::format("\"{}\" matches no stored row of this machine; accept the row first, then set "
                    "its tolerance or limit",
                    asked));
  return found;
}

RowsByFile rows_of_patterns(const RowsByFile& all, const std::vector<std::string>& patterns) {
  RowsByFile found;
  for (const std::string& pattern : patterns)
    for (const auto& [file, names] :
         chosen_of(all, pattern, [&](const StoredFile&, const std::set<RowId>& of_file) {
           return select_stated(of_file, pattern);
         }))
      found[file].insert(names.begin(), names.end());
  return found;
}

RowsByFile rows_of_limit(const RowsByFile& all, gate::StatedLimit limit) {
  return chosen_of(all, limit.rows, [&](const StoredFile& file, const std::set<RowId>& names) {
    std::map<RowId, std::string> units;
    for (const RowId& name : names) units[name] = unit_of(name, file.content.rows.at(name).basis);
    limit.figures = gate::rows_of_figures(units);
    return limit.of(names);
  });
}

/// Only the tolerance of the rows named changes; what was measured, and where, stays.
std::vector<FileChange> plan_tolerance(const Measurements& results, const AcceptRequest& request,
                                       const BaselineStore& store) {
  if (request.rows.empty())
    throw Error(
        "--tolerance needs the names of rows: ratchet accept ROWS --tolerance 0.03 --reason TEXT");
  std::vector<FileChange> changes;
  for (const auto& [file, names] :
       rows_of_patterns(stored_rows(results, request, store), request.rows)) {
    FileChange change{file->path, {}, file->content};
    for (const RowId& name : names) {
      Row& row = change.after.rows.at(name);
      const Row before = row;
      row.tolerance = request.tolerance;
      change.rows.push_back({name, before, row, remark_on(results, name, *request.tolerance)});
    }
    change.after.context["ratchet"] = ratchet_after(change, file->content, request, results);
    changes.push_back(change);
  }
  return changes;
}

/// Likewise, the limits.
std::vector<FileChange> plan_limits(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store) {
  if (!request.rows.empty())
    throw Error(fmt::format("--limit and --no-limit name their rows themselves; leave {} out",
                            request.rows.front()));
  const RowsByFile stored = stored_rows(results, request, store);
  std::map<const StoredFile*, std::map<RowId, Row>> touched;
  const auto row_of = [&](const StoredFile* file, const RowId& name) -> Row& {
    return touched[file].emplace(name, file->content.rows.at(name)).first->second;
  };
  for (const std::string& pattern : request.no_limits) {
    std::size_t removed = 0;
    gate::StatedLimit limit;
    limit.rows = pattern;
    for (const auto& [file, names] : rows_of_limit(stored, limit))
      for (const RowId& name : names)
        if (!file->content.rows.at(name).limits.empty()) {
          row_of(file, name).limits.clear();
          ++removed;
        }
    if (removed == 0)
      throw Error(
          "--no-limit " + pattern +
          ": no such row has a stored limit; `ratchet report` of the baseline shows those that do");
  }
  std::set<RowId> rows;
  std::map<RowId, std::string> units;
  std::map<std::pair<RowId, std::string>, std::string> typed;  // by row and text
  for (const gate::StatedLimit& limit : request.limits)
    for (const auto& [file, names] : rows_of_limit(stored, limit))
      for (const RowId& name : names) {
        Row& row = row_of(file, name);
        row.limits = gate::with_limit(row.limits, limit);
        typed[{name, limit.text()}] = limit.typed;
        units[name] = unit_of(name, row.basis);
        rows.insert(name);
      }
  std::vector<FileChange> changes;
  std::vector<gate::StatedLimit> all;  // with those that were stored before
  for (const auto& [file, named] : touched) {
    FileChange& change = changes.emplace_back(FileChange{file->path, {}, file->content});
    for (const auto& [name, row] : named) {
      for (const std::string& text : row.limits) {
        all.push_back(gate::read_limit(name.text() + text));
        all.back().rows = name;
        all.back().typed = typed[{name, text}];
        all.back().stored = true;
      }
      change.rows.push_back({name, change.after.rows.at(name), row, ""});
      change.after.rows[name] = row;
    }
    change.after.context["ratchet"] = ratchet_after(change, file->content, request, results);
  }
  gate::checked_limits(all, rows, units);  // or throws
  return changes;
}

}  // namespace

std::vector<FileChange> plan_settings(const Measurements& results, const AcceptRequest& request,
                                      const BaselineStore& store) {
  return request.tolerance ? plan_tolerance(results, request, store)
                           : plan_limits(results, request, store);
}

}  // namespace ratchet
