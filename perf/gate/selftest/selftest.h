// `ratchet selftest`: measures the error rates of the gate on this machine.
//
// Many gate runs compare a program with itself. Without a slowdown, every "slower" is a false
// alarm. With a slowdown injected into one side (--ratchet_slowdown: extra work inside the timed
// act), every row that is not slower is a miss. A third-party program has no such flag; there, the
// times of one side are multiplied instead.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
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
  double neighbour = 0.5;        ///< fraction of the runs with a process that keeps one CPU busy
  std::uint64_t seed = 1;
  std::filesystem::path record;  ///< gets one JSON line for each run
};

/// The result of one row in one gate run.
struct SelftestRow {
  Verdict verdict = Verdict::undecided;
  double ratio = 1;
  double detectable = 0;  ///< 0 where unknown
  Pairs pairs;            ///< from which the verdict follows
};

struct SelftestRun {
  double slowdown = 0;     ///< injected into the new side; 0: same against same
  bool neighbour = false;  ///< another process kept one CPU busy
  double seconds = 0;
  double measuring_s = 0;  ///< the part of `seconds` in benchmark programs
  std::map<RowId, SelftestRow> rows;
};

struct SelftestRecord {
  nlohmann::json context;  ///< the machine's fingerprint and the options
  std::vector<SelftestRun> runs;
};

/// Makes all runs and appends each to the record. Runs with and without slowdowns are mixed in an
/// order drawn from the seed, so that both are spread over the same time. Returns the number of
/// runs made: not all of them after an interruption.
std::size_t run_selftest(const SelftestOptions& options, std::ostream& progress);

/// Reads records of one machine; several files form one longer selftest. Throws `Error` naming file
/// and line for malformed records, and for records of different machines.
SelftestRecord read_selftest(const std::vector<std::filesystem::path>& files);
/// Whether a record has more than a header, which a killed selftest may leave. Throws alike.
bool holds_runs(const std::filesystem::path& file);

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
  std::vector<Alarms> alarms;  ///< without and with a busy CPU
  std::vector<Detection> detections;
  /// By row, the median minimum detectable effect; of rows of which a slowdown was detected, up to
  /// the largest that was injected.
  std::map<std::string, double> detectable;
  std::size_t unknown = 0;  ///< further rows
  double overhead = 0;      ///< the gate's own fraction of the time
};
SelftestSummary summarize(const SelftestRecord& record);
/// Why rows lack a smallest slowdown; empty where none does.
std::string unknown_text(const SelftestSummary& summary);

/// What the tables show: shares with the counts that they are of, and their 95 % interval.
nlohmann::json to_json(const SelftestSummary& summary);

/// For the terminal; not `explained`, for perf/guide/evaluation.md.
std::string selftest_table(const SelftestRecord& record, bool explained = true);

// The record of a selftest: JSON lines, first the machine and the options, then one line for each
// run.

/// Appends to a record; each run is on disk when add() returns. Without a run it leaves no new
/// record, and an old one as it was. A record of other rows or options goes to set_aside() at the
/// first run. Throws `Error` naming the file when it cannot be written.
class SelftestWriter {
 public:
  SelftestWriter(const SelftestOptions& options, const std::set<RowId>& rows);
  SelftestWriter(const SelftestWriter&) = delete;
  SelftestWriter& operator=(const SelftestWriter&) = delete;
  ~SelftestWriter();
  void add(const SelftestRun& run);
  const std::filesystem::path& set_aside() const { return set_aside_; }  ///< empty: nothing to

 private:
  void line(const std::string& text);
  std::filesystem::path file_, set_aside_;
  bool made_folder_ = false, made_file_ = false;
  int at_end_ = -1;
  nlohmann::json context_;  ///< until it is written, before the first run
  std::ofstream stream_;
};

/// "5 slower, 1 same": the number of rows of each verdict in a run.
std::string words(const SelftestRun& run);

}  // namespace ratchet::gate
