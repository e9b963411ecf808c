// `ratchet selftest`: how often the gate is wrong on this machine, by trying.
//
// The same program stands on both sides of many whole gate runs. Where both are left alone, every
// "slower" is a false alarm. Where one side does extra real work (--ratchet_slowdown, inside the
// timed act), every row that is not called slower is a miss. A program that is not ratchet's own
// cannot be told to do more: the times of one side are taken longer by the same share.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/gate/run/judging.h"
#include "perf/support/error.h"

namespace ratchet::gate {

struct SelftestOptions {
  ProgramOptions bench;
  SelectionOptions selection;
  std::size_t runs = 300;  ///< same against same
  std::vector<double> slowdowns = {0.005, 0.01, 0.02, 0.05, 0.1};
  std::size_t slowed_runs = 30;  ///< per slowdown
  double run_budget_s = 30;      ///< of one gate run
  double neighbour = 0.5;        ///< share of the runs beside a process that keeps one CPU busy
  std::uint64_t seed = 1;
  std::filesystem::path record;                       ///< receives a JSON line a run; appended to
  std::function<void(const std::string&)> show = {};  ///< as SessionOptions::show
};

/// What one gate run said of one row.
struct SelftestRow {
  Verdict verdict = Verdict::undecided;
  double ratio = 1;
  double detectable = 0;  ///< 0 where unknown
  Pairs pairs;            ///< what the verdict was made of
};

struct SelftestRun {
  double slowdown = 0;     ///< asked of the new side; 0: same against same
  bool neighbour = false;  ///< a busy process stood beside it
  double seconds = 0;
  double measuring_s = 0;  ///< of them in the workers
  std::map<std::string, SelftestRow> rows;
};

struct SelftestRecord {
  nlohmann::json context;  ///< the machine's fingerprint and the options
  std::vector<SelftestRun> runs;
};

/// Runs everything, appending to the record as it goes: same against same and slowed runs mixed, in
/// an order drawn by the seed, so that both see the machine at all its hours.
void run_selftest(const SelftestOptions& options, std::ostream& progress);

/// Reads records of one machine (several files are one longer selftest). Throws `Error` naming file
/// and line for anything malformed, or for records of different machines.
SelftestRecord read_selftest(const std::vector<std::filesystem::path>& files);

/// A share with its exact (Clopper-Pearson) 95 % interval.
struct Rate {
  std::size_t hits = 0;
  std::size_t of = 0;
  double low = 0;
  double high = 1;
  double share() const { return of ? static_cast<double>(hits) / static_cast<double>(of) : 0; }
};
Rate rate(std::size_t hits, std::size_t of);

struct SelftestSummary {
  struct Alarms {
    bool neighbour = false;
    Rate slower;     ///< runs with a row called slower, which fail the gate
    Rate faster;     ///< runs with a row called faster
    Rate undecided;  ///< runs that end undecided
  };
  struct Detection {
    double slowdown = 0;
    bool neighbour = false;
    Rate slower;          ///< rows called slower, of all rows of all runs
    Rate same;            ///< rows called same
    double measured = 0;  ///< median over rows and runs of 1 / ratio - 1, the longer time
  };
  std::vector<Alarms> alarms;  ///< quiet, beside a neighbour, and both
  std::vector<Detection> detections;
  std::map<std::string, double> detectable;  ///< by row: median minimum detectable effect
  double overhead = 0;                       ///< the gate's own share of the time
};
SelftestSummary summarize(const SelftestRecord& record);

/// For the terminal and for perf/guide/evaluation.md.
std::string selftest_table(const SelftestRecord& record);

}  // namespace ratchet::gate
