// A benchmark program that measures nothing: its rows, speeds and failures are a test's to say.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "perf/gate/run/sliced_launch.h"
#include "perf/support/error.h"

namespace ratchet {

/// Several threads may launch its rows interleaved, and those of others.
class FakeProgram : public gate::BenchProgram {
 public:
  struct Row {
    double speed = 1e6;              ///< units per second
    double units = 1000;             ///< work of a call
    double spread = 0.001;           ///< of launches, relative
    double reference = 0;            ///< speed of the control workload; 0: it has none
    std::string fails;               ///< why it fails, always
    std::string fails_concurrently;  ///< why it fails where other rows share its process
    double blocks = 0;               ///< that a GPU was seen to run; 0: unknown
  };

  std::filesystem::path file = "/nowhere";

  explicit FakeProgram(std::uint64_t seed) : generator_(seed) {}

  gate::Listing list() const override {
    gate::Listing listing;
    for (const auto& [name, row] : rows) listing.rows.push_back(name);
    listing.unavailable = unavailable;
    return listing;
  }
  const std::filesystem::path& path() const override { return file; }
  gate::Abilities abilities() const override { return {.checks = true}; }
  gate::CheckOutcome check(const std::string& stage) const override {
    const auto bad = failing_checks.find(stage);
    if (bad != failing_checks.end()) return {false, bad->second, ""};
    return {true, "", "{\"name\":\"" + stage + "\"}"};
  }
  gate::LaunchOutcome measure(const RowId& name, const gate::LaunchRequest&) const override {
    processes.push_back({name});
    return outcome(name, false);
  }
  std::map<RowId, gate::LaunchOutcome> measure_together(
      const std::vector<RowId>& names, const gate::LaunchRequest& request) const override {
    if (log) log->push_back(label);
    processes.push_back(names);
    budgets_s.push_back(request.budget_s);
    cpus.push_back(request.cpu);
    std::map<RowId, gate::LaunchOutcome> outcomes;
    for (const RowId& name : names) outcomes[name] = outcome(name, names.size() > 1);
    return outcomes;
  }

  std::map<RowId, gate::Cpus> interleaved_rows() const override { return slices; }
  std::unique_ptr<gate::SlicedLaunch> launch_interleaved(
      const RowId& name, const gate::LaunchRequest& request) const override {
    const std::lock_guard lock(interleaved_);
    warmed_up.push_back(request.warm_up);
    stopped.push_back(request.cpus);
    cpus.push_back(request.cpu);
    return std::make_unique<FakeSlices>(*this, name);
  }

  std::map<RowId, Row> rows;
  std::map<RowId, gate::Cpus> slices;  ///< rows that are interleaved
  /// Whether others hold the CPU during a launch of this row; rows that are not here: nobody knows.
  std::map<RowId, std::function<bool()>> contended;
  mutable std::vector<bool> warmed_up;      ///< each launch interleaved
  mutable std::vector<gate::Cpus> stopped;  ///< and where it was to be
  std::map<RowId, std::string> unavailable;
  std::map<std::string, std::string> failing_checks;
  std::string label;
  std::vector<std::string>* log = nullptr;            ///< receives `label` a process
  mutable std::vector<std::vector<RowId>> processes;  ///< rows of each process so far
  mutable std::vector<std::optional<int>> cpus;       ///< that each process was to use
  mutable std::vector<double> budgets_s;              ///< time for samples of each process
  /// What the machine does to everything at this moment, as a factor of speed; may be empty.
  std::function<double()> weather;

 private:
  inline static std::mutex interleaved_;  // of all programs, which may share a log

  /// Takes its slices at once, and logs them.
  class FakeSlices final : public gate::SlicedLaunch {
   public:
    FakeSlices(const FakeProgram& program, RowId name)
        : program_(program), name_(std::move(name)) {}
    double prepared() override {
      return program_.rows.at(name_).units / program_.rows.at(name_).speed;
    }
    void begin(std::size_t samples) override { left_ = samples; }
    bool run(const gate::Slice&) override {
      const std::lock_guard lock(interleaved_);
      if (program_.log) program_.log->push_back(program_.label);
      if (!program_.rows.at(name_).fails.empty()) throw Error("gone");
      return --left_ == 0;
    }
    void conclude() override {}
    gate::LaunchOutcome outcome() override {
      const std::lock_guard lock(interleaved_);
      gate::LaunchOutcome outcome = program_.outcome(name_, false);
      if (outcome.launch) outcome.launch->counters["slices"] = 1;
      return outcome;
    }

   private:
    const FakeProgram& program_;
    RowId name_;
    std::size_t left_ = 0;
  };

  gate::LaunchOutcome outcome(const RowId& name, bool concurrently) const {
    const Row& row = rows.at(name);
    gate::LaunchOutcome outcome;
    outcome.failure =
        concurrently && !row.fails_concurrently.empty() ? row.fails_concurrently : row.fails;
    if (!outcome.failure.empty()) return outcome;
    std::normal_distribution<> noise(0, row.spread);
    const double sky = weather ? weather() : 1;
    Launch launch;
    const double speed = row.speed * sky * std::exp(noise(generator_));
    launch.real_ms = 1e3 * row.units / speed;
    launch.counters = {{"units", row.units}, {"units_per_second", speed}, {"verified", 1}};
    if (row.blocks > 0) launch.counters["device_work"] = launch.counters["blocks"] = row.blocks;
    if (row.reference > 0) {
      launch.counters["control_per_second"] = row.reference * sky;
      launch.counters["control_version"] = 1;
    }
    if (const auto held = contended.find(name); held != contended.end()) {
      launch.counters["one_cpu"] = 1;
      launch.cpu_ms = launch.real_ms * (held->second() ? 0.5 : 1);
    }
    outcome.launch = launch;
    outcome.context = {{"cpu.model", "Fake CPU"}, {"build.compiler", "cc 1"}};
    return outcome;
  }
  mutable std::mt19937_64 generator_;
};

}  // namespace ratchet
