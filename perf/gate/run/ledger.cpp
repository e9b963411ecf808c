#include "perf/gate/run/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "perf/support/error.h"

namespace ratchet::gate {

Ledger::Ledger(const std::vector<Side>& sides, std::set<RowId> rows, bool several_gpus,
               const Progress& progress)
    : rows_(std::move(rows)),
      several_gpus_(several_gpus),
      progress_(progress),
      measured_(sides.size()),
      aside_(sides.size()),
      taken_(sides.size()) {
  for (const Side& side : sides) sides_.push_back(side.name);
}

void Ledger::keep(const RowId& row, const std::vector<LaunchOutcome>& by_side, double seconds,
                  std::size_t round) {
  // Pairs are alike, and a single slow one must not end the run. The other launches get shorter.
  const auto [known, first] = launch_s_.try_emplace(row, seconds);
  constexpr double latest = 0.25;  // its weight
  if (!first) {
    const auto fastest = fastest_s_.try_emplace(row, std::min(known->second, seconds)).first;
    fastest->second = std::min(fastest->second, seconds);
    known->second += (sides_.size() > 1 ? latest : 1) * (seconds - known->second);
  }
  if (!fit(row, by_side, round)) return;
  bool contended = false;
  for (const LaunchOutcome& outcome : by_side)  // two programs in turn wait for the same neighbours
    contended |= outcome.launch->contended() &&
                 (by_side.size() == 1 || !outcome.launch->counter(counter::queued));
  if (!contended && shown_contended_.erase(row))
    for (Measurements& side : measured_) side.rows.erase(row);
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    take_context(side, by_side[side].context);
    Row& into = (contended ? aside_ : measured_)[side].rows[row];
    into.name = row;
    Row one;
    one.basis = by_side[side].basis;
    one.clock = by_side[side].clock;
    one.clock_named = by_side[side].clock_named;
    one.launches = {*by_side[side].launch};
    add_launches(into, one);
    into.launches.back().index = static_cast<int>(into.launches.size()) - 1;
  }
}

/// Whether every side has a launch to show that goes with its earlier ones; else the row fails.
bool Ledger::fit(const RowId& row, const std::vector<LaunchOutcome>& by_side, std::size_t round) {
  const auto skips = [](const LaunchOutcome& outcome) { return outcome.skipped; };
  if (std::all_of(by_side.begin(), by_side.end(), skips)) {
    drop(row, {by_side.back().failure, false, true});
    return false;
  }
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    const LaunchOutcome& outcome = by_side[side];
    const auto before = measured_[side].rows.find(row);
    std::string failure = outcome.failure;
    if (outcome.launch && before != measured_[side].rows.end() &&
        outcome.launch->counter(counter::units) !=
            before->second.launches.front().counter(counter::units))
      failure = "its launches differ in units, the work of one call";
    if (failure.empty()) continue;
    fail(row, side, fmt::format("launch {}: {}", round, failure), outcome.unverified);
    return false;
  }
  return true;
}

void Ledger::fail(const RowId& row, std::size_t side, const std::string& reason, bool unverified) {
  const std::string whose = sides_.size() > 1 ? sides_[side] + " build, " : "";
  drop(row, {whose + reason, unverified, false, sides_.size() > 1 && side == 0});
}

void Ledger::drop(const RowId& row, const Failure& failure) {
  failures_[row] = failure;
  for (auto* kept : {&measured_, &aside_})
    for (Measurements& each : *kept) each.rows.erase(row);
  progress_.say(fmt::format("{}: {}", row, failure.reason));
}

void Ledger::show_contended(const std::set<RowId>& rows) {
  for (const RowId& row : rows) {
    if (clean_launches(row) > 0 || contended(row) == 0) continue;
    shown_contended_.insert(row);
    for (std::size_t side = 0; side < sides_.size(); ++side)
      measured_[side].rows[row] = aside_[side].rows.at(row);
  }
}

std::set<RowId> Ledger::alive() const {
  std::set<RowId> names;
  for (const RowId& name : rows_)
    if (!failed(name)) names.insert(name);
  return names;
}

std::size_t Ledger::contended(const RowId& row) const {
  const auto aside = aside_[0].rows.find(row);
  return aside == aside_[0].rows.end() ? 0 : aside->second.launches.size();
}

std::size_t Ledger::clean_launches(const RowId& row) const {
  const auto known = measured_[0].rows.find(row);
  if (known == measured_[0].rows.end() || shown_contended_.count(row)) return 0;
  return known->second.launches.size();
}

double Ledger::launch_s(const RowId& row) const {
  const auto known = launch_s_.find(row);
  return known == launch_s_.end() ? 0 : known->second;
}

double Ledger::fastest_s(const RowId& row) const {
  const auto known = fastest_s_.find(row);
  return known == fastest_s_.end() ? 0 : known->second;
}

double Ledger::call_s(const RowId& row) const {
  const auto known = measured_[0].rows.find(row);
  return known == measured_[0].rows.end() ? 0 : known->second.launches.front().real_ms / 1e3;
}

void Ledger::take_context(std::size_t side, const nlohmann::json& context) {
  if (taken_[side] == context) return;
  Measurements now;
  now.context = context;
  if (now.fingerprint().fields.empty()) {
    // A benchmark program that is not ours tells nothing of the machine, so we do; of its build we
    // know nothing. Once is enough: it is this machine.
    static const auto here = machine_fields();
    for (const auto& [key, value] : here) now.context[key] = value;
  }
  // Names of this host and paths on it have no place in files that are shared.
  now.context.erase("host_name");
  now.context.erase("executable");
  Measurements& measured = measured_[side];
  if (measured.context.empty()) measured.context = now.context;
  take_opencl(measured.context, now.context);
  // A launch without OpenCL rows tells nothing of OpenCL.
  const bool opencl = now.context.contains("opencl.device");
  auto changes = measured.fingerprint().differences(now.fingerprint(), Device::both);
  if (changes.empty() && opencl)
    changes = measured.fingerprint().differences(now.fingerprint(), Device::opencl);
  if (!changes.empty() && several_gpus_)
    throw Error(fmt::format(
        "the GPUs of --gpus differ: {} is {} on one, {} on another; name GPUs of one model",
        changes.front().field, changes.front().stored, changes.front().here));
  if (!changes.empty())
    throw Error(fmt::format("the machine changed during the run: {} was {}, now {}; run again",
                            changes.front().field, changes.front().stored, changes.front().here));
  taken_[side] = context;
}

}  // namespace ratchet::gate
