// The launches of a session: one after the other, together, or by turns; and what is kept of them.
#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "perf/support/error.h"
#include "perf/gate/run/session.h"
#include "perf/support/clock.h"

namespace ratchet::gate {
namespace {

/// Samples of one launch when launches come in pairs: as many, but no longer.
constexpr double pair_samples = 8;
constexpr double most_sample_s = 1;

}  // namespace

/// GPU rows share a process, and so one start of the CUDA runtime; what fails there is then
/// launched alone, so that a crash costs only its own row.
void Session::round(const std::vector<std::string>& order) {
  std::vector<std::string> together;
  for (const std::string& row : order) {
    if (device_of(row) == Device::gpu && !failures_.count(row)) together.push_back(row);
  }
  const bool spread = options_.gpus.size() > 1;
  if (spread) {
    if (!launch_on_gpus(together)) launch_on_gpus(together);
  } else {
    if (!batches_ || together.size() < 2) together.clear();
    if (!together.empty()) {
      show(fmt::format("{} rows in one process", together.size()));
      launch_together(together);
    }
    if (!batches_) together.clear();
  }
  std::vector<Lap> laps;
  for (const std::string& row : order) {
    if (std::find(together.begin(), together.end(), row) != together.end()) continue;
    if (failures_.count(row)) continue;
    if (goes_beside_others(row)) {
      laps.emplace_back(row, 1);
      continue;
    }
    show(row);
    if (in_turns_.count(row)) {
      launch_in_turns(row);
    } else {
      launch_together({row});
    }
  }
  run_laps(laps);
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

Session::Batch Session::batch_of(const std::vector<std::string>& rows) {
  Batch batch{rows, draw_order(), {}};
  batch.request.budget_s = sample_budget_s(rows);
  batch.request.scratch = scratch_.path() / "launch.json";
  return batch;
}

/// Touches nothing of the session but the files that the request names.
void Session::measure_batch(Batch& batch) const {
  const double start = seconds_now();
  batch.outcomes.resize(sides_.size());
  for (const std::size_t side : batch.order) {
    LaunchRequest request = batch.request;
    request.verified_file = proofs(side);
    batch.outcomes[side] = sides_[side].program->measure_together(batch.rows, request);
    const auto failed = [](const auto& entry) { return !entry.second.launch; };
    if (batch.rows.size() > 1 &&
        std::any_of(batch.outcomes[side].begin(), batch.outcomes[side].end(), failed))
      break;
  }
  batch.seconds = seconds_now() - start;
}

/// Whether a row failed beside others: then nothing of them is kept, and each is launched alone.
bool Session::fell_apart(const Batch& batch) {
  if (batch.rows.size() < 2) return false;
  const auto failed = [](const auto& entry) { return !entry.second.launch; };
  for (const Outcomes& side : batch.outcomes) {
    if (std::none_of(side.begin(), side.end(), failed)) continue;
    progress_("a row failed beside others; from now on every row has processes of its own");
    batches_ = false;
    return true;
  }
  return false;
}

void Session::keep(const Batch& batch) {
  for (const std::string& row : batch.rows) {
    launch_s_[row] = batch.seconds / static_cast<double>(batch.rows.size());
    keep(batch.outcomes, row);
  }
}

void Session::launch_together(const std::vector<std::string>& rows) {
  Batch batch = batch_of(rows);
  batch.request.cpu = quiet_cpu_.pick();  // the same CPU for both sides
  measure_batch(batch);
  worker_s_ += batch.seconds;
  if (!fell_apart(batch)) keep(batch);
}

/// Deals the rows out to the devices, each of which has one process at a time, and both sides of a
/// pair; in the next round each row is dealt to the next device. False where a row failed beside
/// others, and nothing was kept.
bool Session::launch_on_gpus(std::vector<std::string> rows) {
  const std::size_t devices = options_.gpus.size();
  const double start = seconds_now();
  std::sort(rows.begin(), rows.end());  // every other round comes backwards
  std::vector<std::vector<std::string>> hands(devices);
  for (std::size_t i = 0; i < rows.size(); ++i)
    hands[(i + rounds_done_) % devices].push_back(rows[i]);
  std::vector<std::vector<Batch>> batches(devices);
  std::vector<std::future<void>> running;
  for (std::size_t device = 0; device < devices; ++device) {
    std::vector<Batch>& own = batches[device];
    if (batches_ && !hands[device].empty()) own.push_back(batch_of(hands[device]));
    for (const std::string& row : hands[device])
      if (!batches_) own.push_back(batch_of({row}));
    for (Batch& batch : own) {
      batch.request.gpu = options_.gpus[device];
      batch.request.scratch = scratch_.path() / fmt::format("launch-gpu-{}.json", device);
    }
  }
  show(fmt::format("{} rows on {} GPUs", rows.size(), devices));
  for (std::vector<Batch>& own : batches)
    running.push_back(std::async(std::launch::async, [this, &own] {
      for (Batch& batch : own) measure_batch(batch);
    }));
  for (auto& each : running) each.get();
  worker_s_ += seconds_now() - start;
  for (const std::vector<Batch>& own : batches)
    for (const Batch& batch : own)
      if (fell_apart(batch)) return false;
  for (const std::vector<Batch>& own : batches)
    for (const Batch& batch : own) keep(batch);
  return true;
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
  const auto skips = [&](const Outcomes& side) { return side.at(row).skipped; };
  if (std::all_of(outcomes.begin(), outcomes.end(), skips)) {
    fail(row, outcomes.back().at(row).failure, false);
    failures_[row].skipped = true;
    return false;
  }
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
  if (!changes.empty() && options_.gpus.size() > 1)
    throw Error(fmt::format("the GPUs of --gpus are not alike: {} is {} on one, {} on another",
                            changes.front().field, changes.front().stored, changes.front().here));
  if (!changes.empty())
    throw Error(fmt::format("the machine changed while measuring: {} was {}, now {}",
                            changes.front().field, changes.front().stored, changes.front().here));
}

}  // namespace ratchet::gate
