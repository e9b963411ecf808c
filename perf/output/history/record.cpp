#include "perf/output/history/record.h"

#include <cmath>
#include <regex>

#include "perf/gate/baseline/accept.h"
#include "perf/gate/baseline/clock.h"
#include "perf/gate/baseline/units.h"
#include "perf/stats/quantile.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/hash.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::history {
namespace {

using nlohmann::json;

std::optional<double> number(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::string text(const json& entry, const char* key, const std::string& otherwise) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

void add_launches(RowRecord& record, const Row& row, const char* side) {
  for (std::size_t i = 0; i < row.launches.size(); ++i) {
    const Launch& launch = row.launches[i];
    record.launches.push_back({side, static_cast<std::int64_t>(i),
                               launch.counter(counter::units_per_second).value_or(0),
                               launch.real_ms, launch.counter(counter::control_per_second)});
  }
}

/// Rounds figures as files do, so that a run and its file agree.
std::string measurement_of(const RowRecord& record, const Row& row) {
  std::string all = record.name.text() + "\n" + record.fingerprint_hash;
  for (const double value : row.throughputs()) all.append("\n").append(tidy_number(value).dump());
  return fnv1a(all);
}

void add_figures(RowRecord& record, const Row& row) {
  if (row.launches.empty()) return;
  add_launches(record, row, "now");
  record.throughput = stats::median(row.throughputs());
  record.units = row.units();
  record.clock = to_string(clock_of(row));
  if (record.unit.empty()) record.unit = unit_of(record.name, row.basis);
  if (row.tolerance && !record.tolerance) record.tolerance = row.tolerance;
  record.measurement = measurement_of(record, row);
}

std::string accepted_in(const json& entry) {
  const json accepted = entry.value("accepted", json());
  if (!accepted.is_object() || accepted.value("holds", json()) != true) return "";
  return accepted_text({text(accepted, "commit", ""), number(accepted, "share").value_or(0),
                        text(accepted, "reason", ""), true});
}

RowRecord judged_row(const RowId& name, const json& entry) {
  RowRecord record;
  record.name = name;
  record.verdict = gate::verdict_left(name, entry);
  record.reason = text(entry, "reason", "");
  record.accepted = accepted_in(entry);
  record.ratio = number(entry, "ratio");
  record.low = number(entry, "low");
  record.high = number(entry, "high");
  record.detectable = number(entry, "detectable");
  record.tolerance = number(entry, "tolerance");
  record.code_hash = text(entry, "code_hash", "");
  record.work = text(entry, "work", "");
  record.unit = printable(text(entry, "unit", ""), 40);
  return record;
}

/// The last accept of figures in a baseline file, or null. Accepting a tolerance or limits does
/// not count, since it changes no figures.
json last_accept(const json& ratchet) {
  const json history = ratchet.value("history", json::array());
  if (!history.is_array()) return nullptr;
  for (auto entry = history.rbegin(); entry != history.rend(); ++entry) {
    if (is_of_figures(*entry)) return *entry;
  }
  return nullptr;
}

/// The rows of a gate run with their verdicts, or those of a baseline file without.
std::vector<RowRecord> judged_rows(const Measurements& results, const json& ratchet) {
  std::vector<RowRecord> records;
  if (const auto rows = ratchet.find("rows"); rows != ratchet.end() && rows->is_object()) {
    for (const auto& [name, entry] : rows->items()) records.push_back(judged_row(name, entry));
    return records;
  }
  const json accept = last_accept(ratchet);
  const std::string reason = accept.is_object() ? text(accept, "reason", "") : "";
  const json work = ratchet.value("work", json::object());
  for (const auto& [name, row] : results.rows) {
    records.emplace_back();
    records.back().name = name;
    records.back().reason = reason;
    if (work.is_object()) records.back().work = text(work, name.text().c_str(), "");
  }
  return records;
}

std::string revision_of(const json& ratchet) {
  const json accept = last_accept(ratchet);
  return text(accept.is_object() ? accept : ratchet, "revision", "unknown");
}

std::string time_of(const Measurements& results, const RunFacts& facts) {
  if (!facts.time.empty()) return facts.time;
  if (const auto time = utc_time(text(results.context, "date", ""))) return *time;
  return utc_now();
}

}  // namespace

std::string verdict_text(const KeptVerdict& verdict) {
  return verdict ? gate::to_string(*verdict) : "accepted";
}

std::string verdict_text(const KeptVerdict& verdict, const std::string& accepted) {
  return verdict_text(verdict) + (accepted.empty() ? "" : ", accepted");
}

std::string accepted_text(const gate::AcceptedBy& accepted) {
  return printable(to_string(gate::Remark(accepted)), 400);
}

std::string fingerprint_hash(const Fingerprint& fingerprint, Device device) {
  std::string all;
  for (const FieldDifference& field : fingerprint.differences({}, device))
    all += field.field + "=" + field.stored + "\n";
  return fnv1a(all);
}

RunRecord run_record(std::vector<RowRecord> verdicts, const Measurements& measured,
                     const std::string& revision, const RunFacts& facts) {
  RunRecord run;
  run.id = random_id();
  run.time = time_of(measured, facts);
  run.revision = revision;
  run.commit = facts.commit;
  run.fingerprint = measured.fingerprint();
  run.machine = run.fingerprint.machine_slug(Device::both);
  run.mode = facts.mode;
  run.exit_code = facts.exit_code;
  for (RowRecord& record : verdicts) {
    if (record.verdict == gate::Verdict::unavailable) continue;
    const Device device = record.name.device();
    record.machine = run.fingerprint.machine_slug(device);
    record.fingerprint_hash = fingerprint_hash(run.fingerprint, device);
    if (const auto row = measured.rows.find(record.name); row != measured.rows.end())
      add_figures(record, row->second);
    if (facts.base) {
      if (const auto row = facts.base->rows.find(record.name); row != facts.base->rows.end())
        add_launches(record, row->second, "base");
    }
    run.rows.push_back(std::move(record));
  }
  return run;
}

std::map<std::string, std::string> commit_of(const json& ratchet) {
  const json::json_pointer place("/run/commits/now");
  std::map<std::string, std::string> commit;
  if (!ratchet.contains(place) || !ratchet.at(place).is_object()) return commit;
  for (const auto& [key, value] : ratchet.at(place).items())
    if (value.is_string() && key != "build") commit[key] = value.get<std::string>();
  if (const json& base = ratchet.at("run").at("commits").value("base", json::object());
      base.is_object())
    if (const std::string against = text(base, "commit", ""); !against.empty())
      commit["against"] = against;
  return commit;
}

RunRecord record_of(const Measurements& results, const RunFacts& facts) {
  const json ratchet = results.context.value("ratchet", json::object());
  RunFacts all = facts;
  all.commit = commit_of(ratchet);
  RunRecord run = run_record(judged_rows(results, ratchet), results, revision_of(ratchet), all);
  // Of an older version's results nothing says which run they are of.
  static const std::regex id("[0-9a-f]{32}");
  if (const json::json_pointer place("/run/id"); ratchet.contains(place))
    if (const json& own = ratchet.at(place);
        own.is_string() && std::regex_match(own.get<std::string>(), id))
      run.id = own;
  run.rule_version = static_cast<int>(number(ratchet, "rule_version").value_or(1));
  return run;
}

}  // namespace ratchet::history
