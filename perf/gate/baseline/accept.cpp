#include "perf/gate/baseline/accept.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/units.h"
#include "perf/gate/baseline/verdict.h"
#include "perf/stats/sequential.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/suggestion.h"

namespace ratchet {
namespace {

using nlohmann::json;

using gate::Verdict;

/// What a gate run left of a row, the missing ones too.
struct LeftRow {
  Verdict verdict = Verdict::undecided;
  bool identical_work = false;  ///< it was timed briefly, and keeps its baseline unless it is named
  bool settled = false;         ///< occasions leave it undecided: more launches cannot help
  bool unverified = false;      ///< a row of a third-party program without a check
  std::string unfit = "";       ///< why its launches are no figures to keep; empty where they are

  /// In a message, behind the row's name.
  std::string text() const {
    if (!unfit.empty()) return unfit;
    if (settled) return "undecided: stored occasions differ";
    return identical_work ? "identical work" : to_string(verdict);
  }
};
using LeftRows = std::map<RowId, LeftRow>;

/// Sets the reason if launches cannot become a baseline.
void judge_launches(LeftRow& left, const Row& row, const AcceptRequest& request) {
  const auto any = [&](const auto& is) {
    return std::any_of(row.launches.begin(), row.launches.end(), is);
  };
  if (any([](const Launch& launch) { return launch.counter(counter::slices).has_value(); })) {
    left.unfit =
        "its launches were interleaved with another build; measure it alone with `ratchet gate "
        "--by-time`";
  } else if (!request.allow_unverified && !is_verified(row)) {
    left.unverified = true;
    left.unfit = to_string(Verdict::unverified);
  } else if (!request.contended && any([](const Launch& launch) { return launch.contended(); })) {
    left.unfit = "other processes used its CPU; measure again, or accept it with --contended";
  } else if (!request.unchecked && !left.identical_work && any([](const Launch& launch) {
               return launch.counter(counter::verified_in_situ) == 0.0;
             })) {
    // Older launches and other programs lack the counter. Identical work was checked when its
    // baseline was accepted.
    left.unfit =
        "no in-situ check; measure again with a larger --verify-limit-s, or accept it with "
        "--unchecked";
  }
}

/// The row that accepting would replace or remove.
const Row* stored_row(const RowId& row, const Fingerprint& here, const AcceptRequest& request,
                      const BaselineStore& store) {
  if (request.machine.empty()) return store.find_row(row, here);
  const StoredFile* file = store.at(request.machine, row.family());
  if (!file) return nullptr;
  const auto found = file->content.rows.find(row);
  return found == file->content.rows.end() ? nullptr : &found->second;
}

/// Fewer stored launches than before, and too few for a run of nine to decide even this row alone;
/// `remedy`: the option that gives more. "" where there are enough.
std::string too_few_launches(const Row& stored, const Row& measured, const std::string& remedy) {
  constexpr std::size_t a_run = 9;
  const std::size_t before = stored.launches.size(), after = measured.launches.size();
  // Half of the error is for occasions.
  const double error = stats::plan_stored(a_run, 2).front().simultaneous_error;
  const std::size_t needed = stats::least_launches(a_run, 2 * error);
  if (after >= before || after >= needed) return "";
  return fmt::format(
      "too few launches to decide by: stored figures need {} at least, the previous ones "
      "have {}; measure again with {}",
      needed, before, remedy);
}

/// What the run remarked of a row whose time is that of an empty loop; "" of others.
std::string measured_nothing(const json& entry) {
  const json remarks = entry.value("remarks", json::array());
  for (const json& remark : remarks)
    if (remark.is_string() && remark.get<std::string>().starts_with("measures nothing: "))
      return printable(remark.get<std::string>(), 400);
  return "";
}

LeftRows left_rows(const Measurements& results, const AcceptRequest& request,
                   const BaselineStore& store) {
  const Fingerprint here = results.fingerprint();
  LeftRows found;
  const json& ratchet = results.context.at("ratchet");
  const auto rows = ratchet.find("rows");
  if (rows == ratchet.end() || !rows->is_object())
    throw Error(
        "the file holds no results of a gate run: context.ratchet.rows is missing; --from names "
        "the gate.json of one");
  for (const auto& [name, entry] : rows->items()) {
    LeftRow& row = found[name];
    row.verdict = gate::verdict_left(name, entry);
    row.unverified = row.verdict == Verdict::unverified;
    row.identical_work = entry.value("identical_work", json()) == true;
    row.settled = entry.value("settled", json()) == true;
    const auto launched = results.rows.find(name);
    // An earlier accept may have removed it.
    if ((launched == results.rows.end() || request.occasion) &&
        (row.verdict == Verdict::missing || row.identical_work) &&
        !stored_row(name, here, request, store))
      row.unfit = fmt::format("{}, and the baseline no longer holds it: nothing to accept",
                              row.identical_work ? "identical work" : "missing in the run");
    const bool asked = !row.identical_work || !request.rows.empty() || request.occasion;
    if (!asked || row.verdict == Verdict::missing || !row.unfit.empty()) continue;
    if (launched != results.rows.end())
      judge_launches(row, launched->second, request);
    else if (row.verdict != Verdict::failed && row.verdict != Verdict::unavailable)
      row.unfit = "these results have no launch of it; measure it with `ratchet gate`";
    if (!row.identical_work || request.occasion || !row.unfit.empty()) continue;
    // A few launches for the record.
    if (const Row* stored = stored_row(name, here, request, store))
      row.unfit = too_few_launches(*stored, launched->second, "--by-time");
    if (!row.unfit.empty()) row.unfit = "identical work; " + row.unfit;
  }
  return found;
}

std::set<RowId> chosen_rows(const LeftRows& rows, const std::vector<std::string>& patterns,
                            bool occasion) {
  std::set<RowId> names;
  for (const auto& [name, row] : rows) {
    const bool as_accepted = row.identical_work && row.unfit.empty();
    const bool asked =
        occasion ? as_accepted
                 : !row.unfit.empty() || (row.verdict != Verdict::unavailable && !as_accepted);
    if (!patterns.empty() || asked) names.insert(name);
  }
  if (patterns.empty()) return names;
  std::set<RowId> chosen;
  for (const std::string& pattern : patterns) {
    const std::set<RowId> selected = select_stated(names, pattern);
    if (selected.empty())
      throw Error(fmt::format("\"{}\" matches no row of the results; leave it out to accept all{}",
                              pattern, did_you_mean_row(pattern, names)));
    chosen.insert(selected.begin(), selected.end());
  }
  return chosen;
}

bool is_fit(const LeftRow& row, bool named, bool occasion) {
  if (!row.unfit.empty()) return false;
  if (row.identical_work || occasion) return row.identical_work;
  switch (row.verdict) {
    case Verdict::same:
    case Verdict::faster:
    case Verdict::slower:
    case Verdict::added:
    case Verdict::changed:
    case Verdict::uncompared:
      return true;
    // If the user asks for it, missing rows are removed and undecided ones stored: many rows that
    // differ at once get too few launches to decide by, yet can be a baseline.
    case Verdict::undecided:
      return row.settled || named;
    case Verdict::missing:
      return named;
    case Verdict::failed:
    case Verdict::unverified:
    case Verdict::unavailable:
      break;
  }
  return false;
}

constexpr const char* no_test_checks =
    "; no test checks their results: run one with `ratchet gate --check-cmd COMMAND`, or accept "
    "them with --allow-unverified";

/// Where rows of identical work cannot be added, what keeps them.
void refuse_occasion(const LeftRows& rows) {
  std::string kept;
  bool unchecked = false;
  for (const auto& [name, row] : rows)
    if (row.identical_work && !row.unfit.empty()) {
      kept += fmt::format("{}{} ({})", kept.empty() ? "" : ", ", name, row.unfit);
      unchecked |= row.unverified;
    }
  if (!kept.empty())
    throw Error("not accepted, nothing written: no row of identical work can be added: " + kept +
                (unchecked ? no_test_checks : ""));
}

/// The rows asked for, less those that are to be left.
std::set<RowId> fit_rows(const LeftRows& rows, const AcceptRequest& request) {
  const bool named = !request.rows.empty();
  std::set<RowId> fit, chosen = chosen_rows(rows, request.rows, request.occasion);
  if (chosen.empty() && request.occasion) refuse_occasion(rows);
  if (chosen.empty() && request.occasion)
    throw Error(
        "the results hold no row of identical work, and --occasion adds only such rows; measure "
        "the program of the baseline with `ratchet gate`, without --by-time");
  if (chosen.empty()) return {};  // all are identical work to their baseline
  std::string unfit;
  bool unchecked = false, undecided = true;
  for (const RowId& name : chosen) {
    const LeftRow& row = rows.at(name);
    unchecked |= row.unverified;
    undecided &= row.unfit.empty() && row.verdict == Verdict::undecided;
    if (is_fit(row, named, request.occasion))
      fit.insert(name);
    else
      unfit += fmt::format("{}{} ({})", unfit.empty() ? "" : ", ", name, row.text());
  }
  // The others are identical work to their baseline, or there are none and nothing failed.
  if (fit.empty() && request.leave_unfit && !named && (undecided || chosen.size() < rows.size()))
    return {};
  if (!unfit.empty() && (!request.leave_unfit || fit.empty()))
    throw Error(
        "not accepted, nothing written: " + unfit +
        (unchecked ? no_test_checks
         : named   ? ""
         : request.leave_unfit
             ? "; no row is left, so measure again, or name the rows to accept"
             : "; measure again, name the rows to accept, or leave these out with --leave-unfit"));
  return fit;
}

/// Where a row's baseline is, or is to be.
std::filesystem::path destination(const RowId& row, const Fingerprint& here,
                                  const AcceptRequest& request, const BaselineStore& store) {
  if (request.machine.empty()) {
    if (const StoredFile* file = store.find(row, here)) return file->path;
  }
  const std::string machine =
      request.machine.empty() ? here.machine_slug(row.device()) : request.machine;
  return store.folder() / machine / (row.family() + ".json");
}

/// Rows that stay must have been measured under the fingerprint that the file will state.
void refuse_mixed_fingerprints(const FileChange& change, const Measurements& before) {
  for (const auto& [name, row] : change.after.rows) {
    const bool replaced = std::any_of(change.rows.begin(), change.rows.end(),
                                      [&](const RowChange& r) { return r.name == name; });
    if (replaced) continue;
    const auto differences =
        before.fingerprint().differences(change.after.fingerprint(), name.device());
    if (differences.empty()) continue;
    const FieldDifference& first = differences.front();
    throw Error(fmt::format(
        "{} was measured on another machine ({}: {} there, {} here), and its row {} was not "
        "measured here; accept all its rows at once, or write another folder with --machine NAME",
        change.path.string(), first.field, first.stored, first.here, name));
  }
}

/// The stored launches and the current ones, distinguished by the counter "occasion". Those of one
/// day are one occasion.
Row with_further_occasion(const Row& stored, const Row& measured, bool same_day) {
  const auto [before, now] = on_one_clock(stored, measured);
  constexpr double occasions_kept = 8;
  const auto occasion = [](const Launch& launch) {
    return launch.counter(counter::occasion).value_or(0);
  };
  Row row = before;
  const std::vector<double> held = before.throughputs(), added = now.throughputs();
  if (same_day && held.size() >= added.size() &&
      std::equal(added.rbegin(), added.rend(), held.rbegin()))
    return stored;  // it is this run
  const double last = occasion(row.launches.back()) + (same_day ? 0 : 1);
  for (Launch launch : now.launches) {
    if (last > 0) launch.counters[counter::occasion] = last;
    row.launches.push_back(std::move(launch));
  }
  std::erase_if(row.launches,
                [&](const Launch& launch) { return occasion(launch) + occasions_kept <= last; });
  return row;
}

FileChange file_change(const std::filesystem::path& path, const std::set<RowId>& names,
                       const Measurements& results, const AcceptRequest& request,
                       const Measurements& before) {
  FileChange change{path, {}, before};
  for (const RowId& name : names) {
    RowChange row{name, std::nullopt, std::nullopt, ""};
    const json rows = results.context.at("ratchet").value("rows", json::object());
    const json entry = rows.value(name.text(), json::object());
    // The results know no unit of a row that they lack.
    if (const json unit = entry.value("unit", json()); unit.is_string() && results.rows.count(name))
      row.unit = printable(unit.get<std::string>(), 40);
    if (const auto old = before.rows.find(name); old != before.rows.end()) row.before = old->second;
    if (const auto now = results.rows.find(name); now != results.rows.end()) {
      const bool same_day = request.occasion && is_of_last_occasion(results, request, before, name);
      change.same_day |= same_day;
      row.after = request.occasion ? with_further_occasion(*row.before, now->second, same_day)
                                   : now->second;
      if (row.before) row.after->tolerance = row.before->tolerance;
      if (row.before) row.after->limits = row.before->limits;
      change.after.rows[name] = *row.after;
      if (row.before) row.remark = too_few_launches(*row.before, *row.after, "a larger --budget-s");
      if (row.before && entry.value("verdict", json()) == to_string(Verdict::undecided))
        row.remark += std::string(row.remark.empty() ? "" : "; ") +
                      "undecided: a loss that this run could not exclude becomes the baseline";
      if (const std::string nothing = measured_nothing(entry); !nothing.empty())
        row.remark += (row.remark.empty() ? "" : "; ") + nothing + ", and no gate can judge it";
    } else {
      change.after.rows.erase(name);
    }
    change.rows.push_back(row);
  }
  change.after.context = results.context;
  take_opencl(change.after.context, before.context);  // results without OpenCL rows tell nothing
  change.after.context["ratchet"] = ratchet_after(change, before, request, results);
  refuse_mixed_fingerprints(change, before);
  return change;
}

}  // namespace

namespace {

/// A baseline names a commit, so that later runs can build it for a comparison.
void require_committed(const Measurements& results, const std::set<RowId>& rows,
                       const AcceptRequest& request) {
  const std::string revision = revision_of(results);
  if (request.uncommitted || is_committed(revision)) return;
  for (const RowId& name : rows) {
    const auto row = results.rows.find(name);
    if (row == results.rows.end() || !row->second.basis.empty()) continue;
    throw Error(fmt::format(
        "not accepted, nothing written: no commit describes the build that measured {} (revision "
        "\"{}\"); commit, build and measure again, or accept it with --uncommitted",
        name, revision));
  }
}

}  // namespace

void require_reason(const AcceptRequest& request) {
  if (request.reason.find_first_not_of(" \t\n") == std::string::npos)
    throw Error("a reason is required: --reason TEXT states why the baseline changes");
}

std::vector<FileChange> plan_accept(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store) {
  require_reason(request);
  if (request.keeps_figures()) return plan_settings(results, request, store);
  const LeftRows left = left_rows(results, request, store);
  const Fingerprint here = results.fingerprint();
  std::map<std::filesystem::path, std::set<RowId>> by_file;
  const std::set<RowId> fit = fit_rows(left, request);
  require_committed(results, fit, request);
  for (const RowId& name : fit) by_file[destination(name, here, request, store)].insert(name);
  std::vector<FileChange> changes;
  for (const auto& [path, names] : by_file) {
    const StoredFile* stored =
        store.at(path.parent_path().filename().string(), path.stem().string());
    changes.push_back(
        file_change(path, names, results, request, stored ? stored->content : Measurements{}));
  }
  return changes;
}

bool unverified_was_allowed(const Measurements& results, const BaselineStore& store) {
  const Fingerprint here = results.fingerprint();
  for (const auto& [name, row] : results.rows) {
    if (is_verified(row)) continue;
    const StoredFile* file = store.find(name, here);
    if (!file || !allows_unverified(file->content)) return false;
  }
  return true;
}

std::vector<std::string> unfit_rows(const Measurements& results, const AcceptRequest& request,
                                    const BaselineStore& store) {
  const LeftRows left = left_rows(results, request, store);
  std::vector<std::string> unfit;
  for (const RowId& name : chosen_rows(left, request.rows, request.occasion)) {
    const LeftRow& row = left.at(name);
    if (!is_fit(row, !request.rows.empty(), request.occasion))
      unfit.push_back(fmt::format("{} ({})", name, row.text()));
  }
  return unfit;
}

void apply(const std::vector<FileChange>& changes) {
  std::vector<FileText> files;
  for (const FileChange& change : changes) files.push_back({change.path, to_text(change.after)});
  write_all_atomically(files);
}

}  // namespace ratchet
