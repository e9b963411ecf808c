#include "perf/gate/rule/verdicts.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "perf/stats/quantile.h"
#include "perf/stats/ratio.h"

namespace ratchet::gate {
namespace {

/// The speed of the reference workload in each launch; empty where one of them lacks it.
std::vector<double> reference_of(const Row& row) {
  std::vector<double> speeds;
  for (const Launch& launch : row.launches) {
    const double speed = launch.counter("reference_per_second").value_or(0);
    if (!(speed > 0)) return {};
    speeds.push_back(speed);
  }
  return speeds;
}

std::vector<double> over(const std::vector<double>& throughputs,
                         const std::vector<double>& speeds) {
  std::vector<double> normalised = throughputs;
  for (std::size_t i = 0; i < normalised.size(); ++i) normalised[i] /= speeds[i];
  return normalised;
}

/// A neighbour that slows the whole machine must not look like a slower stage, nor a slower stage
/// be excused by him: where both sides ran the reference workload, both views must agree.
Decision decide_stored(const Row& stored, const Row& now, double tolerance, std::size_t claims) {
  const Decision measured = decide(stored.throughputs(), now.throughputs(), tolerance, claims);
  const auto version = [](const Row& row) {
    return row.launches.front().counter("reference_version");
  };
  const std::vector<double> then_reference = reference_of(stored);
  const std::vector<double> now_reference = reference_of(now);
  if (then_reference.empty() || now_reference.empty() || version(stored) != version(now))
    return measured;
  const Decision normalised = decide(over(stored.throughputs(), then_reference),
                                     over(now.throughputs(), now_reference), tolerance, claims);
  return agreed(measured, normalised, stats::ratio_estimate(then_reference, now_reference));
}

/// A launch's time is the median of its samples, or another quantile that the row states.
double centre_of(const Row& row) { return row.launches.front().counter("centre").value_or(0.5); }

/// The hash of a stage's device code that a baseline was measured with; empty where it is unknown.
std::string stored_code(const StoredFile& file, const std::string& row) {
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const auto& context = file.content.context;
  if (!context.contains("ratchet") || !context["ratchet"].is_object()) return "";
  const auto& ratchet = context["ratchet"];
  if (!ratchet.contains("code") || !ratchet["code"].is_object()) return "";
  return text(ratchet["code"].value(row, nlohmann::json()));
}

RowReport compare(const Row& now, const Row& stored, std::size_t claims) {
  RowReport report;
  report.baseline_launches = stored.launches.size();
  report.tolerance = stored.tolerance.value_or(default_tolerance(device_of(now.name)));
  if (const auto change = changed_between(stored, now)) {
    report.verdict = Verdict::changed;
    report.reason = *change;
    return report;
  }
  report.decision = decide_stored(stored, now, report.tolerance, claims);
  report.verdict = report.decision->verdict;
  report.reason = report.decision->reason;
  return report;
}

/// Rows of one file of baselines are new when others of it are compared; where no file of this
/// fingerprint exists there is nothing to be new against, and the build is compared with itself.
RowReport judge_measured(const Row& row, const Store& store, const Fingerprint& here,
                         const std::string& code, std::size_t claims, std::size_t uncompared) {
  RowReport report;
  const StoredFile* file = store.find(family_of(row.name), device_of(row.name), here);
  if (const Row* stored = store.find_row(row.name, here)) {
    report = compare(row, *stored, claims);
    report.name = row.name;
    if (!code.empty() && code == stored_code(*file, row.name)) doubt_same_code(report);
  } else {
    report.tolerance = default_tolerance(device_of(row.name));
    if (file) {
      report.verdict = Verdict::fresh;
      report.reason = "not in the baseline";
    } else {
      report.verdict = Verdict::uncompared;
      report.decision = decide_against_itself(row.throughputs(), report.tolerance, uncompared);
      report.reason = "no baseline of this machine; the build against itself: " +
                      to_string(report.decision->verdict);
    }
  }
  report.name = row.name;
  report.code_hash = code;
  report.launches = row.launches.size();
  report.throughput = stats::median(row.throughputs());
  return report;
}

RowReport bare(const std::string& name, Verdict verdict, const std::string& reason) {
  RowReport report;
  report.name = name;
  report.verdict = verdict;
  report.reason = reason;
  return report;
}

bool reported(const std::vector<RowReport>& reports, const std::string& name) {
  return std::any_of(reports.begin(), reports.end(),
                     [&](const RowReport& report) { return report.name == name; });
}

/// Stored rows that the session neither measured nor saw fail: missing from this machine's
/// baseline, or known from other machines only. A stage that ran here once and no longer can is
/// missing, too.
void add_absent(std::vector<RowReport>& reports, const Findings& findings, const Store& store,
                const std::set<std::string>& covered) {
  const Fingerprint here = findings.measured.fingerprint();
  const auto add = [&](bool of_this_machine) {
    for (const StoredFile& file : store.files()) {
      for (const auto& [name, row] : file.content.rows) {
        const bool matches = file.content.fingerprint().matches(here, device_of(name));
        if (matches != of_this_machine || !covered.count(name) || reported(reports, name)) continue;
        const auto why = findings.unavailable.find(stage_of(name));
        const std::string known = why == findings.unavailable.end() ? "" : why->second;
        if (!matches && !known.empty()) continue;  // told once, by the stage
        reports.push_back(
            matches ? bare(name, Verdict::missing,
                           fmt::format("in {}, {}", file.path.string(),
                                       known.empty() ? "not in this build" : "but now: " + known))
                    : bare(name, Verdict::unavailable, "measured on " + file.machine + " only"));
        reports.back().baseline_launches = row.launches.size();
      }
    }
  };
  add(true);
  add(false);
  for (const auto& [name, reason] : findings.unavailable) {
    if (!reported(reports, name)) reports.push_back(bare(name, Verdict::unavailable, reason));
  }
}

bool any(const std::vector<RowReport>& reports, std::initializer_list<Verdict> verdicts) {
  return std::any_of(reports.begin(), reports.end(), [&](const RowReport& report) {
    return std::find(verdicts.begin(), verdicts.end(), report.verdict) != verdicts.end();
  });
}

}  // namespace

std::set<std::string> compared_rows(const Measurements& measured, const Store& store) {
  std::set<std::string> names;
  const Fingerprint here = measured.fingerprint();
  for (const auto& [name, row] : measured.rows) {
    if (store.find_row(name, here)) names.insert(name);
  }
  return names;
}

std::vector<RowReport> judge(const Findings& findings, const Store& store, std::size_t claims,
                             const std::set<std::string>& covered) {
  std::vector<RowReport> reports;
  const Fingerprint here = findings.measured.fingerprint();
  for (const auto& [name, row] : findings.measured.rows) {
    const auto code = findings.code.find(stage_of(name));
    reports.push_back(judge_measured(row, store, here,
                                     code == findings.code.end() ? "" : code->second, claims,
                                     findings.measured.rows.size() - claims));
  }
  for (const auto& [name, failure] : findings.failures)
    reports.push_back(
        bare(name, failure.unverified ? Verdict::unverified : Verdict::failed, failure.reason));
  add_absent(reports, findings, store, covered);
  sort_worst_first(reports);
  return reports;
}

std::optional<std::string> changed_between(const Row& before, const Row& now) {
  if (now.units() != before.units())
    return fmt::format("the work of one call is {:.6g}, in the baseline {:.6g}", now.units(),
                       before.units());
  if (centre_of(now) != centre_of(before))
    return fmt::format(
        "a launch is summed up by its {:.3g}-quantile, in the baseline by its {:.3g}-quantile",
        centre_of(now), centre_of(before));
  return std::nullopt;
}

void doubt_same_code(RowReport& report) {
  report.remarks.push_back("identical machine code");
  if (report.verdict != Verdict::slower && report.verdict != Verdict::faster) return;
  report.reason =
      fmt::format("{} by time, but identical machine code: noise, or the launch changed",
                  to_string(report.verdict));
  report.verdict = Verdict::undecided;
}

void sort_worst_first(std::vector<RowReport>& reports) {
  const auto badness = [](const RowReport& report) {
    return std::tuple(report.verdict, report.decision ? report.decision->ratio : 1, report.name);
  };
  std::sort(reports.begin(), reports.end(),
            [&](const RowReport& a, const RowReport& b) { return badness(a) < badness(b); });
}

ExitCode exit_code(const std::vector<RowReport>& reports, bool strict) {
  if (any(reports, {Verdict::slower})) return ExitCode::regression;
  if (any(reports, {Verdict::failed, Verdict::unverified, Verdict::missing, Verdict::changed,
                    Verdict::fresh}))
    return ExitCode::failed;
  if (any(reports, {Verdict::undecided})) return ExitCode::undecided;
  if (any(reports, {Verdict::uncompared})) return strict ? ExitCode::undecided : ExitCode::pass;
  return any(reports, {Verdict::same, Verdict::faster}) ? ExitCode::pass : ExitCode::nothing_ran;
}

}  // namespace ratchet::gate
