#include "perf/gate/rule/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

/// What a baseline was measured with, by the name of its kind: "code", the hash of the stage's
/// device code, "work", the digest of all that the row executes; empty where it is unknown.
std::string stored_with(const char* kind, const StoredFile& file, const std::string& row) {
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const auto& context = file.content.context;
  if (!context.contains("ratchet") || !context["ratchet"].is_object()) return "";
  const auto& ratchet = context["ratchet"];
  if (!ratchet.contains(kind) || !ratchet[kind].is_object()) return "";
  return text(ratchet[kind].value(row, nlohmann::json()));
}

std::string known(const std::map<std::string, std::string>& of, const std::string& name) {
  const auto found = of.find(name);
  return found == of.end() ? "" : found->second;
}

bool reported(const std::vector<RowReport>& reports, const std::string& name) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const RowReport& report) { return report.name == name; });
}

bool any(const std::vector<RowReport>& reports, std::initializer_list<Verdict> verdicts) {
  return std::any_of(reports.begin(), reports.end(), [&](const RowReport& report) {
    return std::find(verdicts.begin(), verdicts.end(), report.verdict) != verdicts.end();
  });
}

}  // namespace

std::set<std::string> compared_rows(const std::set<std::string>& rows, const BaselineStore& store,
                                    const Fingerprint& here) {
  std::set<std::string> names;
  for (const std::string& name : rows) {
    if (store.find_row(name, here)) names.insert(name);
  }
  return names;
}

std::string stored_work(const std::string& row, const BaselineStore& store,
                        const Fingerprint& here) {
  const StoredFile* file = store.find(family_of(row), device_of(row), here);
  return file && file->content.rows.count(row) ? stored_with("work", *file, row) : "";
}

std::set<std::string> differing_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint& here) {
  std::set<std::string> differing;
  for (const std::string& name : rows) {
    const std::string now = known(executed.work, name), before = stored_work(name, store, here);
    if (now.empty() || before.empty()) continue;
    if (now != before || executed.launched_otherwise.count(name)) differing.insert(name);
  }
  return differing;
}

std::set<std::string> identical_rows(const std::set<std::string>& rows, const Executed& executed,
                                     const BaselineStore& store, const Fingerprint* here) {
  std::set<std::string> identical;
  for (const std::string& name : rows) {
    const std::string work = known(executed.work, name);
    if (work.empty() || executed.launched_otherwise.count(name)) continue;
    for (const StoredFile& file : store.files()) {
      if (here && !file.content.fingerprint().matches(*here, device_of(name))) continue;
      if (file.content.rows.count(name) && stored_with("work", file, name) == work)
        identical.insert(name);
    }
  }
  return identical;
}

void state_work(std::vector<RowReport>& reports,
                const std::map<std::string, std::string>& digests) {
  for (RowReport& report : reports)
    if (const auto digest = digests.find(report.name); digest != digests.end())
      report.work = digest->second;
}

std::string machine_note(const std::vector<RowReport>& reports) {
  std::vector<double> beyond, ratios;
  for (const RowReport& report : reports) {
    if (!report.identical_work || !report.decision) continue;
    ratios.push_back(report.decision->ratio);
    if (std::fabs(ratios.back() - 1) > report.tolerance) beyond.push_back(ratios.back());
  }
  if (beyond.size() * 2 <= ratios.size()) return "";
  const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
  return fmt::format(
      "{} of {} rows of identical work ran at another speed than stored, {:+.1f} to {:+.1f} %, in "
      "the "
      "middle {:+.1f} %: that is this machine, not the code; `ratchet doctor` says what disturbs "
      "it",
      beyond.size(), ratios.size(), 100 * (*least - 1), 100 * (*most - 1),
      100 * (stats::median(ratios) - 1));
}

void remark_on_layout(std::vector<RowReport>& reports) {
  std::map<Device, std::vector<RowReport*>> by_device;
  for (RowReport& report : reports)
    if (report.identical_work && report.decision)
      by_device[device_of(report.name)].push_back(&report);
  for (const auto& [device, rows] : by_device) {
    for (RowReport* report : rows) {
      std::vector<double> others;
      for (const RowReport* other : rows)
        if (other != report) others.push_back(std::log(other->decision->ratio));
      const auto shift = stats::shift_of_controls(others);
      if (!shift) continue;
      const double beyond = std::log(report->decision->ratio) - shift->centre;
      const double error = stats::kFalseAlarms / static_cast<double>(2 * rows.size());
      if (std::fabs(beyond) > std::max(stats::reach(*shift, error), report->tolerance))
        report->remarks.push_back(fmt::format(
            "layout: {:+.1f} % beside other rows of identical work", 100 * std::expm1(beyond)));
    }
  }
}

RowReport bare_report(const std::string& name, Verdict verdict, const std::string& reason) {
  RowReport report;
  report.name = name;
  report.verdict = verdict;
  report.reason = reason;
  return report;
}

void add_failures(std::vector<RowReport>& reports, const std::map<std::string, Failure>& failures) {
  for (const auto& [name, failure] : failures)
    reports.push_back(bare_report(name,
                                  failure.skipped      ? Verdict::unavailable
                                  : failure.unverified ? Verdict::unverified
                                                       : Verdict::failed,
                                  (failure.skipped ? "skipped: " : "") + failure.reason));
}

std::map<Device, std::vector<double>> controls_of(const std::set<std::string>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store) {
  std::map<Device, std::vector<double>> controls;
  const Fingerprint here = now.fingerprint();
  for (const std::string& name : identical) {
    const auto row = now.rows.find(name);
    const Row* before = store.find_row(name, here);
    if (row == now.rows.end() || !before) continue;
    controls[device_of(name)].push_back(
        std::log(stats::median(row->second.throughputs()) / stats::median(before->throughputs())));
  }
  return controls;
}

namespace {

std::vector<double> controls_for(const StoredSide& stored, Device device) {
  const auto found = stored.controls.find(device);
  return found == stored.controls.end() ? std::vector<double>() : found->second;
}

/// Without both builds at hand no more can be said of the reason.
void say_that_it_differs(RowReport& report, const std::string& now, const std::string& before,
                         bool third_party) {
  const bool moved = report.verdict == Verdict::slower || report.verdict == Verdict::faster;
  if (!moved || now.empty() || before.empty() || now == before) return;
  report.reasons = {third_party ? "the program is another than the baseline's"
                                : "it executes something else than in the baseline: `ratchet "
                                  "explain " +
                                      report.name + "` shows what"};
}

}  // namespace

RowReport judge_stored(const Row& now, const StoredSide& stored, const Executed& executed) {
  RowReport report;
  const std::string code = known(executed.code, stage_of(now.name));
  const Device device = device_of(now.name);
  const StoredFile* file = stored.store.find(family_of(now.name), device, stored.here);
  if (const Row* before = stored.store.find_row(now.name, stored.here)) {
    const auto stated = stored.tolerances.find(now.name);
    const double tolerance = stated != stored.tolerances.end()
                                 ? stated->second
                                 : before->tolerance.value_or(default_tolerance(device));
    report = compare_rows(*before, now, Comparison::stored, tolerance, stored.against);
    const std::string launched = other_device_work(*before, now);
    const bool same = launched.empty() &&
                      !identical_rows({now.name}, executed, stored.store, &stored.here).empty();
    if (report.verdict != Verdict::changed && same) settle_identical_work(report);
    if (!same) {
      judge_across_sessions(report, *before, controls_for(stored, device), stored.against);
      say_that_it_differs(report, known(executed.work, now.name),
                          stored_with("work", *file, now.name), !now.basis.empty());
      say_what_it_launches(report, launched);
    }
    if (!same && launched.empty() && !code.empty() && code == stored_with("code", *file, now.name))
      doubt_same_code(report);
  } else {
    report = bare_report(now.name, Verdict::added, "not in the baseline");
    report.tolerance = default_tolerance(device);
    report.launches = now.launches.size();
    report.throughput = stats::median(now.throughputs());
    if (!stored.store.knows(device, stored.here)) {
      report.verdict = Verdict::uncompared;
      report.decision = decide_against_itself(now.throughputs(), report.tolerance, stored.itself);
      report.reason = "no baseline of this machine; the build against itself: " +
                      to_string(report.decision->verdict);
    }
  }
  report.code_hash = code;
  report.work = known(executed.work, now.name);
  return report;
}

void add_absent(std::vector<RowReport>& reports, const BaselineStore& store,
                const Fingerprint& here, const std::map<std::string, std::string>& unavailable,
                const std::set<std::string>& covered) {
  const auto add = [&](bool of_this_machine) {
    for (const StoredFile& file : store.files()) {
      for (const auto& [name, row] : file.content.rows) {
        const bool matches = file.content.fingerprint().matches(here, device_of(name));
        if (matches != of_this_machine || !covered.count(name) || reported(reports, name)) continue;
        const auto why = unavailable.find(stage_of(name));
        const std::string known = why == unavailable.end() ? "" : why->second;
        if (!matches && !known.empty()) continue;  // told once, by the stage
        reports.push_back(matches ? bare_report(name, Verdict::missing,
                                                fmt::format("in {}, {}", file.path.string(),
                                                            known.empty() ? "not in this build"
                                                                          : "but now: " + known))
                                  : bare_report(name, Verdict::unavailable,
                                                "measured on " + file.machine + " only"));
        reports.back().baseline_launches = row.launches.size();
      }
    }
  };
  add(true);
  add(false);
  for (const auto& [name, reason] : unavailable) {
    if (!reported(reports, name))
      reports.push_back(bare_report(name, Verdict::unavailable, reason));
  }
}

void sort_worst_first(std::vector<RowReport>& reports) {
  const auto badness = [](const RowReport& report) {
    return std::tuple(report.verdict, report.decision ? report.decision->ratio : 1, report.name);
  };
  std::sort(reports.begin(), reports.end(),
            [&](const RowReport& a, const RowReport& b) { return badness(a) < badness(b); });
}

bool Policy::passes(Verdict verdict) const {
  if (verdict == Verdict::undecided) return undecided_passes.value_or(!strict);
  if (verdict == Verdict::added) return allow_new || !strict;
  return verdict != Verdict::uncompared || !strict;
}

ExitCode exit_code(const std::vector<RowReport>& reports, const Policy& policy) {
  if (any(reports, {Verdict::slower})) return ExitCode::regression;
  if (any(reports, {Verdict::failed, Verdict::unverified, Verdict::missing, Verdict::changed}))
    return ExitCode::failed;
  if (std::any_of(reports.begin(), reports.end(),
                  [&](const RowReport& row) { return !policy.passes(row.verdict); }))
    return ExitCode::undecided;
  if (policy.strict_machine && !machine_note(reports).empty()) return ExitCode::undecided;
  return any(reports, {Verdict::same, Verdict::faster, Verdict::added, Verdict::undecided,
                       Verdict::uncompared})
             ? ExitCode::pass
             : ExitCode::nothing_ran;
}

}  // namespace ratchet::gate
