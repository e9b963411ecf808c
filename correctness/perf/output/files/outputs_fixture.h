// A finished gate run made by hand: rows of every kind, with names and reasons that break tools.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "correctness/support/expect_has.h"
#include "perf/gate/run/run.h"
#include "perf/output/files/output_files.h"
#include "perf/support/process.h"

namespace ratchet::gate {

inline RowReport report(const std::string& name, Verdict verdict, const std::string& reason = "") {
  RowReport made;
  made.name = name;
  made.verdict = verdict;
  made.reason = reason;
  return made;
}

/// A row of nine launches a side whose throughput changed by `ratio`.
inline RowReport compared(const std::string& name, Verdict verdict, double ratio) {
  RowReport made = report(name, verdict);
  made.decision.emplace();
  made.decision->verdict = verdict;
  made.decision->ratio = ratio;
  made.decision->simultaneous = stats::Bounds{ratio - 0.01, ratio + 0.01, 0.0005};
  made.decision->per_comparison = stats::Bounds{ratio - 0.005, ratio + 0.005, 0.025};
  made.decision->detectable = 0.034;
  made.baseline_launches = made.launches = 9;
  made.before.throughput = 1e6;
  made.now.throughput = 1e6 * ratio;
  made.clock = Clock::cpu;
  made.basis = "items_per_second";
  made.tolerance = 0.03;
  return made;
}

/// Nine launches of a millisecond each at 1e6 units per second, times `ratio`, 0.1 % apart.
inline Row row(const std::string& name, double ratio) {
  Row made;
  made.name = name;
  for (int i = 0; i < 9; ++i) {
    const double speed = 1e6 * ratio * (1 + 0.001 * (i - 4));
    Launch launch;
    launch.index = i;
    launch.real_ms = 1000 / speed * 1e3;
    launch.counters = {{"units", 1000}, {"units_per_second", speed}, {"verified", 1}};
    made.launches.push_back(launch);
  }
  return made;
}

inline const std::string odd_name = "demo/cpu/03_<odd>&\"quoted\"'|%,:é";

/// Four measured rows, one of them new; rows that failed, are missing or unavailable.
inline Outcome an_outcome() {
  using enum Verdict;
  Outcome outcome;
  outcome.reports = {compared("demo/cpu/01_slow", slower, 0.9),
                     report("demo/cpu/05_fail", failed, "killed by signal 11\n\x1b[31m<&\xff>"),
                     report("other/cuda/01_gone", missing, "in x.json, not in this build"),
                     compared("demo/cpu/02_maybe", undecided, 0.97),
                     compared(odd_name, same, 1.001),
                     report("demo/cpu/04_here", uncompared, "no baseline of this machine"),
                     report("other/cuda/02_x", unavailable, "no such device")};
  for (const auto& [name, ratio] : std::vector<std::pair<std::string, double>>{
           {"demo/cpu/01_slow", 0.9}, {"demo/cpu/02_maybe", 0.97}, {odd_name, 1.001}}) {
    outcome.measured.rows[name] = row(name, ratio);
    outcome.base.rows[name] = row(name, 1);
  }
  outcome.measured.rows["demo/cpu/04_here"] = row("demo/cpu/04_here", 1);
  outcome.measured.context = {{"cpu.model", "Box"}, {"json_schema_version", 7}};
  outcome.revision = "abc";
  return outcome;
}

class Outputs : public testing::Test {
 protected:
  std::filesystem::path folder() const { return scratch_.path(); }
  std::filesystem::path file(const std::string& name) const { return folder() / name; }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(file(name)).rdbuf();
    return text.str();
  }
  static std::string data(const std::string& name) {
    return std::string(RATCHET_DATA_DIR "/perf/gate/data/outputs/") + name;
  }
  /// Whether a command works here; readers that are not installed are skipped by name.
  static bool works(const std::vector<std::string>& command) {
    try {
      return run_process(command, 60).ok();
    } catch (const Error&) {
      return false;
    }
  }

 private:
  ScratchFolder scratch_;
};

}  // namespace ratchet::gate
