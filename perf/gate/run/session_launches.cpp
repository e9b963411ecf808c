// The launches of a session: one after the other, together, or by turns; and what is kept of them.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/support/error.h"
#include "perf/gate/run/session.h"
#include "perf/gate/run/turn_launch.h"
#include "perf/support/clock.h"

namespace ratchet::gate {
namespace {

/// Samples of one launch when launches come in pairs: as many, but no longer.
constexpr double pair_samples = 8;
constexpr double most_sample_s = 1;
/// Turns. One thread is stopped and continued within microseconds; threads have to find their CPUs.
constexpr double turn_s = 0.001, threads_turn_s = 0.05;
/// The ratio of a pair of theirs is the median of so many, less the first.
constexpr std::size_t threads_samples = 9;
/// A run that is as long as this needs no other before it.
constexpr double warms_itself_s = 0.2;

}  // namespace

/// GPU rows share a process, and so one start of the CUDA runtime; what fails there is then
/// launched alone, so that a crash costs only its own row.
void Session::round(const std::vector<std::string>& order) {
  std::vector<std::string> together;
  for (const std::string& row : order) {
    if (batches_ && device_of(row) == Device::gpu) together.push_back(row);
  }
  if (together.size() < 2) together.clear();
  if (!together.empty()) {
    show(fmt::format("{} rows in one process", together.size()));
    launch_together(together);
  }
  for (const std::string& row : order) {
    const bool done =
        batches_ && std::find(together.begin(), together.end(), row) != together.end();
    if (done || failures_.count(row)) continue;
    show(row);
    if (in_turns_.count(row)) {
      launch_in_turns(row);
    } else {
      launch_together({row});
    }
  }
}

std::vector<std::size_t> Session::draw_order() {
  if (sides_.size() == 1) return {0};
  return generator_() % 2 == 0 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1, 0};
}

double Session::sample_budget_s(const std::vector<std::string>& rows) const {
  double budget_s = sample_budget_s_;
  if (sides_.size() < 2 || options_.sample_s > 0) return budget_s;
  for (const std::string& row : rows) {
    budget_s = std::max(budget_s, std::min(pair_samples * call_s(row), most_sample_s));
  }
  return budget_s;
}

double Session::call_s(const std::string& row) const {
  const auto known = measured_[0].rows.find(row);
  return known == measured_[0].rows.end() ? 0 : known->second.launches.front().real_ms / 1e3;
}

void Session::launch_in_turns(const std::string& row) {
  const double start = seconds_now();
  TurnPlan plan;
  LaunchRequest request;
  request.cpus = in_turns_.at(row);
  plan.turn.on_cpu = request.cpus == Cpus::one;
  plan.turn.seconds = options_.turn_s.value_or(plan.turn.on_cpu ? turn_s : threads_turn_s);
  plan.call_s = call_s(row);
  plan.seconds = options_.sample_s > 0 ? options_.sample_s : turns_sample_s_;
  // Where the budget is too short for all rows, those of one thread are settled sooner by it.
  if (plan.seconds > least_in_turns_s && request.cpus == Cpus::all) plan.samples = threads_samples;
  request.cpu = quiet_cpu_.pick();
  request.warm_up = plan.call_s < warms_itself_s;
  std::vector<std::unique_ptr<TurnLaunch>> launches(sides_.size());
  for (const std::size_t side : draw_order()) {
    request.verified_file = proofs(side);
    request.scratch = scratch_.path() / fmt::format("launch-{}.json", side);
    launches[side] = sides_[side].program->launch_in_turns(row, request);
  }
  const PairOutcome pair = take_turns(*launches[0], *launches[1], plan, generator_);
  worker_s_ += seconds_now() - start;
  launch_s_[row] = seconds_now() - start;
  keep({{{row, pair.before}}, {{row, pair.now}}}, row);
}

void Session::launch_together(const std::vector<std::string>& rows) {
  const double begin = seconds_now();
  std::vector<Outcomes> outcomes(sides_.size());
  LaunchRequest request{sample_budget_s(rows), "", scratch_.path() / "launch.json",
                        quiet_cpu_.pick()};  // the same CPU for both sides
  for (const std::size_t side : draw_order()) {
    const double start = seconds_now();
    request.verified_file = proofs(side);
    outcomes[side] = sides_[side].program->measure_together(rows, request);
    worker_s_ += seconds_now() - start;
    const auto failed = [](const auto& entry) { return !entry.second.launch; };
    if (rows.size() > 1 && std::any_of(outcomes[side].begin(), outcomes[side].end(), failed)) {
      progress_("a row failed beside others; from now on every row has processes of its own");
      batches_ = false;
      return;
    }
  }
  const double each_s = (seconds_now() - begin) / static_cast<double>(rows.size());
  for (const std::string& row : rows) {
    launch_s_[row] = each_s;
    keep(outcomes, row);
  }
}

/// Takes over one launch a side, or fails the row; of two sides both or none. A pair is put aside
/// as a whole, whichever of its sides was displaced.
void Session::keep(const std::vector<Outcomes>& outcomes, const std::string& row) {
  if (!fit(outcomes, row)) return;
  bool displaced = false;
  for (const Outcomes& side : outcomes) displaced |= side.at(row).launch->displaced();
  if (!displaced && shown_displaced_.erase(row))
    for (Measurements& side : measured_) side.rows.erase(row);
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    take_context(side, outcomes[side].at(row).context);
    Row& into = (displaced ? aside_ : measured_)[side].rows[row];
    into.name = row;
    into.basis = outcomes[side].at(row).basis;
    into.launches.push_back(*outcomes[side].at(row).launch);
    into.launches.back().index = static_cast<int>(into.launches.size()) - 1;
  }
}

/// Whether every side has a launch to show that goes with its earlier ones; else the row fails.
bool Session::fit(const std::vector<Outcomes>& outcomes, const std::string& row) {
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    const LaunchOutcome& outcome = outcomes[side].at(row);
    const auto before = measured_[side].rows.find(row);
    std::string failure = outcome.failure;
    if (outcome.launch && before != measured_[side].rows.end() &&
        outcome.launch->counter("units") != before->second.launches.front().counter("units"))
      failure = "its launches differ in units, the work of one call";
    if (failure.empty()) continue;
    const std::string whose = sides_.size() > 1 ? sides_[side].name + " build, " : "";
    fail(row, fmt::format("{}launch {}: {}", whose, rounds_done_ + 1, failure), outcome.unverified);
    return false;
  }
  return true;
}

void Session::take_context(std::size_t side, const nlohmann::json& context) {
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
  if (!changes.empty())
    throw Error(fmt::format("the machine changed while measuring: {} was {}, now {}",
                            changes.front().field, changes.front().stored, changes.front().here));
}

}  // namespace ratchet::gate
