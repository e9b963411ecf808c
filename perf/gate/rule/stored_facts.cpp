#include <algorithm>
#include <cmath>

#include "perf/gate/baseline/figure.h"
#include "perf/gate/rule/facts.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {
namespace {

/// What a row's baseline executed: with kind "code" the hash of the stage's device code, with
/// "work" the digest of all that the row executes. Empty where unknown.
std::string stored_with(const char* kind, const StoredFile& file, const RowId& row) {
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  const auto& context = file.content.context;
  if (!context.contains("ratchet") || !context["ratchet"].is_object()) return "";
  const auto& ratchet = context["ratchet"];
  if (!ratchet.contains(kind) || !ratchet[kind].is_object()) return "";
  return text(ratchet[kind].value(row, nlohmann::json()));
}

template <class Name>
std::string known(const std::map<Name, std::string>& of, const Name& name) {
  const auto found = of.find(name);
  return found == of.end() ? "" : found->second;
}

bool has(const std::vector<Facts>& rows, const RowId& name) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Facts& facts) { return facts.name == name; });
}

}  // namespace

std::set<RowId> compared_rows(const std::set<RowId>& rows, const BaselineStore& store,
                              const Fingerprint& here) {
  std::set<RowId> names;
  for (const RowId& name : rows) {
    if (store.find_row(name, here)) names.insert(name);
  }
  return names;
}

std::string stored_work(const RowId& row, const BaselineStore& store, const Fingerprint& here) {
  const StoredFile* file = store.find(row, here);
  return file && file->content.rows.count(row) ? stored_with("work", *file, row) : "";
}

std::set<RowId> differing_rows(const std::set<RowId>& rows, const Executed& executed,
                               const BaselineStore& store, const Fingerprint& here) {
  std::set<RowId> differing;
  for (const RowId& name : rows) {
    const std::string now = known(executed.work, name), before = stored_work(name, store, here);
    if (now.empty() || before.empty()) continue;
    if (now != before || executed.launched_otherwise.count(name)) differing.insert(name);
  }
  return differing;
}

std::set<RowId> identical_rows(const std::set<RowId>& rows, const Executed& executed,
                               const BaselineStore& store, const Fingerprint* here) {
  std::set<RowId> identical;
  for (const RowId& name : rows) {
    const std::string work = known(executed.work, name);
    if (work.empty() || executed.launched_otherwise.count(name)) continue;
    for (const StoredFile& file : store.files()) {
      if (here && !file.content.fingerprint().matches(*here, name.device())) continue;
      if (file.content.rows.count(name) && stored_with("work", file, name) == work)
        identical.insert(name);
    }
  }
  return identical;
}

void state_work(std::vector<Facts>& rows, const std::map<RowId, std::string>& digests) {
  for (Facts& facts : rows)
    if (const auto digest = digests.find(facts.name); digest != digests.end())
      facts.work = digest->second;
}

void state_units(std::vector<Facts>& rows, const std::map<RowId, std::string>& units) {
  for (Facts& facts : rows)
    if (const auto unit = units.find(facts.name); unit != units.end()) facts.unit = unit->second;
}

void add_failures(std::vector<Facts>& rows, const std::map<RowId, Failure>& failures) {
  for (const auto& [name, failure] : failures)
    if (failure.skipped)
      rows.push_back(absent(name, Verdict::unavailable, Skipped{failure.reason}));
    else
      rows.push_back(
          absent(name, failure.unverified ? Verdict::unverified : Verdict::failed, failure.reason));
}

std::map<Device, std::vector<double>> controls_of(const std::set<RowId>& identical,
                                                  const Measurements& now,
                                                  const BaselineStore& store) {
  std::map<Device, std::vector<double>> controls;
  const Fingerprint here = now.fingerprint();
  for (const RowId& name : identical) {
    const auto row = now.rows.find(name);
    const Row* before = store.find_row(name, here);
    if (row == now.rows.end() || !before || is_amount(row->second.basis)) continue;
    const auto [then, here_now] = on_one_clock(*before, row->second);
    controls[row->first.device()].push_back(
        std::log(stats::median(here_now.throughputs()) / stats::median(then.throughputs())));
  }
  return controls;
}

namespace {

std::vector<double> controls_for(const StoredSide& stored, Device device) {
  const auto found = stored.controls.find(device);
  return found == stored.controls.end() ? std::vector<double>() : found->second;
}

Facts::Executes executes_now(const std::string& now, const std::string& before, bool third_party) {
  if (now.empty() || before.empty() || now == before) return Facts::Executes::unknown;
  return third_party ? Facts::Executes::other_program : Facts::Executes::other;
}

double tolerance_of(const Row& before, const StoredSide& stored) {
  const auto stated = stored.tolerances.find(before.name);
  return stated != stored.tolerances.end()
             ? stated->second
             : before.tolerance.value_or(default_tolerance(before.name.device()));
}

/// Both sides are judged by one clock, but the baseline was accepted by another.
std::optional<OtherClock> other_clock(const Row& before, const Row& now) {
  const std::string then = to_string(clock_of(before));
  const std::string here = to_string(clock_of(on_one_clock(before, now).second));
  if (now.basis.empty() || then == here) return std::nullopt;
  return OtherClock{then, here};
}

Facts of_stored_row(const Row& before, const Row& now, const StoredSide& stored,
                    const Executed& executed) {
  const Device device = now.name.device();
  Facts facts =
      facts_of(before, now, Comparison::stored, tolerance_of(before, stored), stored.against);
  const StoredFile& file = *stored.store.find(now.name, stored.here);
  facts.same_work =
      !facts.launched && !identical_rows({now.name}, executed, stored.store, &stored.here).empty();
  if (!is_amount(now.basis) && !facts.exact)
    facts.occasions = {
        shift_between_occasions(on_one_clock(before, now).first, controls_for(stored, device)),
        stored.against};
  facts.other_clock = other_clock(before, now);
  facts.executes = executes_now(known(executed.work, now.name), stored_with("work", file, now.name),
                                !now.basis.empty());
  const std::string code = known(executed.code, now.name.stage());
  facts.same_code = !code.empty() && code == stored_with("code", file, now.name);
  return facts;
}

Facts of_new_row(const Row& now, const StoredSide& stored) {
  const Device device = now.name.device();
  Facts facts;
  facts.name = now.name;
  facts.tolerance = default_tolerance(device);
  facts.launches = now.launches.size();
  take_figures(facts, now);
  facts.nothing = measures_nothing(now);
  if (stored.store.knows(device, stored.here))
    facts.obstacle = {Verdict::added, NotStored{}};
  else
    facts.against_itself = decide_against_itself(now.throughputs(), facts.tolerance, stored.itself);
  return facts;
}

}  // namespace

Facts stored_facts(const Row& now, const StoredSide& stored, const Executed& executed) {
  const Row* before = stored.store.find_row(now.name, stored.here);
  Facts facts = before ? of_stored_row(*before, now, stored, executed) : of_new_row(now, stored);
  facts.code_hash = known(executed.code, now.name.stage());
  facts.work = known(executed.work, now.name);
  return facts;
}

Facts untimed_facts(const RowId& row, const StoredSide& stored, const Executed& executed) {
  const Row& before = *stored.store.find_row(row, stored.here);
  Facts facts;
  facts.name = before.name;
  facts.baseline_launches = before.launches.size();
  facts.tolerance = tolerance_of(before, stored);
  facts.same_work = true;
  facts.code_hash = known(executed.code, before.name.stage());
  facts.work = known(executed.work, row);
  return facts;
}

void add_absent(std::vector<Facts>& rows, const BaselineStore& store, const Fingerprint& here,
                const std::map<RowId, std::string>& unavailable, const std::set<RowId>& covered) {
  const auto add = [&](bool of_this_machine) {
    for (const StoredFile& file : store.files()) {
      for (const auto& [name, row] : file.content.rows) {
        const bool matches = file.content.fingerprint().matches(here, name.device());
        if (matches != of_this_machine || !covered.count(name) || has(rows, name)) continue;
        const std::string why = known(unavailable, RowId(name.stage()));
        if (!matches && !why.empty()) continue;  // reported once, for the stage
        rows.push_back(matches ? absent(name, Verdict::missing, NotHere{file.path.string(), why})
                               : absent(name, Verdict::unavailable, MeasuredOn{file.machine}));
        rows.back().baseline_launches = row.launches.size();
      }
    }
  };
  add(true);
  add(false);
  for (const auto& [name, reason] : unavailable)
    if (!has(rows, name)) rows.push_back(absent(name, Verdict::unavailable, reason));
}

}  // namespace ratchet::gate
