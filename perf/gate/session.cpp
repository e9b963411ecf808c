#include "perf/gate/session.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "kernels/support/error.h"
#include "perf/baseline/accept.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string duration(double seconds) {
  const int whole = static_cast<int>(std::max(0.0, seconds) + 0.5);
  return whole < 60 ? fmt::format("{} s", whole)
                    : fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

bool of_backend(const std::string& name, const std::string& backend) {
  return backend.empty() || name.find("/" + backend + "/") != std::string::npos;
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "ratchet-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw Error("no temporary folder can be made: " + pattern);
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Session::Session(const Worker& worker, SessionOptions options,
                 std::function<void(const std::string&)> progress)
    : worker_(worker),
      options_(std::move(options)),
      progress_(std::move(progress)),
      start_s_(now_s()) {
  const Listing listing = worker_.list();
  // A whole name selects that row or stage alone, not others that contain it.
  const auto is_filter = [&](const std::string& name) {
    return name == options_.filter || stage_of(name) == options_.filter;
  };
  filter_is_a_name_ = std::any_of(listing.rows.begin(), listing.rows.end(), is_filter) ||
                      listing.unavailable.count(options_.filter) > 0;
  for (const std::string& name : listing.rows) {
    if (!selected(name)) continue;
    if (!rows_.insert(name).second)
      throw Error(fmt::format("the benchmark program lists {} twice", name));
  }
  for (const auto& [name, reason] : listing.unavailable) {
    if (selected(name)) unavailable_[name] = reason;
  }
  if (rows_.empty() && unavailable_.empty())
    throw Error(fmt::format("nothing matches filter \"{}\"{}; `ratchet list` shows the stages",
                            options_.filter,
                            options_.backend.empty() ? "" : " and backend " + options_.backend));
}

bool Session::selected(const std::string& name) const {
  if (!of_backend(name, options_.backend)) return false;
  if (options_.filter.empty()) return true;
  if (filter_is_a_name_) return name == options_.filter || stage_of(name) == options_.filter;
  return !select_rows({name}, options_.filter).empty();
}

double Session::seconds_left() const { return options_.budget_s - (now_s() - start_s_); }

std::set<std::string> Session::alive() const {
  std::set<std::string> names;
  for (const std::string& name : rows_) {
    if (!failures_.count(name)) names.insert(name);
  }
  return names;
}

void Session::check() {
  std::set<std::string> stages;
  for (const std::string& row : rows_) stages.insert(stage_of(row));
  progress_(fmt::format("checking {} stages before timing {} rows", stages.size(), rows_.size()));
  std::ofstream proofs(scratch_.path() / "verified.jsonl");
  const double start = now_s();
  for (const std::string& stage : stages) {
    const CheckOutcome outcome = worker_.check(stage);
    if (outcome.passed) {
      proofs << outcome.line << "\n";
      continue;
    }
    progress_(fmt::format("{} fails its check and is not timed: {}", stage, outcome.detail));
    for (const std::string& row : rows_) {
      if (stage_of(row) == stage) failures_[row] = {"check: " + outcome.detail, false};
    }
  }
  progress_(fmt::format("checked in {}", duration(now_s() - start)));
}

void Session::plan_budget(std::size_t rows, std::size_t launches) {
  // A launch costs its start-up, a warm-up no longer than the samples, and the samples. A quarter
  // of the session is kept for rows that stay undecided.
  constexpr double start_up_s = 0.15;
  const double for_all = seconds_left() - 0.25 * options_.budget_s;
  const double each =
      for_all / static_cast<double>(std::max<std::size_t>(1, rows * launches)) - start_up_s;
  sample_budget_s_ = std::clamp(each / 2, 0.05, 1.0);
}

void Session::measure(const std::set<std::string>& rows, std::size_t count, std::size_t least) {
  std::vector<std::string> order(rows.begin(), rows.end());
  if (sample_budget_s_ == 0) plan_budget(rows.size(), count);
  const double start = now_s();
  for (std::size_t i = 0; i < count; ++i) {
    if (seconds_left() <= 0 && i >= least) {
      progress_(fmt::format("the time budget is over after {} of {} launches", i, count));
      return;
    }
    for (const std::string& row : order) {
      if (!failures_.count(row)) launch(row);
    }
    std::reverse(order.begin(), order.end());
    ++launches_done_;
    const double left =
        (now_s() - start) / static_cast<double>(i + 1) * static_cast<double>(count - i - 1);
    progress_(fmt::format("launch {}/{} of {} rows done, about {} left", i + 1, count, rows.size(),
                          duration(left)));
    // Stages whose single run outlasts the budget make it come out longer than planned.
    const double spare = seconds_left() - 0.2 * options_.budget_s;
    if (left > spare && spare > 0)
      sample_budget_s_ = std::max(0.02, sample_budget_s_ * std::max(0.25, spare / left));
  }
}

void Session::take_context(const nlohmann::json& context) {
  Measurements now;
  now.context = context;
  if (now.fingerprint().fields.empty()) {
    // A benchmark program that is not ours tells nothing of the machine, so we do; of its build we
    // know nothing.
    for (const auto& [key, value] : fingerprint_fields()) {
      if (!key.starts_with("build.")) now.context[key] = value;
    }
  }
  // Names of this host and paths on it have no place in files that are shared.
  now.context.erase("host_name");
  now.context.erase("executable");
  if (measured_.context.empty()) measured_.context = now.context;
  const auto changes = measured_.fingerprint().differences(now.fingerprint(), Device::both);
  if (!changes.empty())
    throw Error(fmt::format("the machine changed while measuring: {} was {}, now {}",
                            changes.front().field, changes.front().stored, changes.front().here));
}

void Session::launch(const std::string& name) {
  LaunchOutcome outcome = worker_.measure(
      name, sample_budget_s_, scratch_.path() / "verified.jsonl", scratch_.path() / "launch.json");
  Row& row = measured_.rows[name];
  row.name = name;
  if (outcome.launch) {
    take_context(outcome.context);
    outcome.launch->index = static_cast<int>(row.launches.size());
    row.launches.push_back(*outcome.launch);
    if (row.launches.back().counter("units") != row.launches.front().counter("units"))
      outcome.failure = "its launches differ in units, the work of one call";
  }
  if (outcome.failure.empty()) return;
  const std::string reason = fmt::format("launch {}: {}", launches_done_ + 1, outcome.failure);
  failures_[name] = {reason, outcome.unverified};
  measured_.rows.erase(name);
  progress_(fmt::format("{}: {}", name, reason));
}

}  // namespace ratchet::gate
