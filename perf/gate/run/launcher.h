// Launches rows: one in a process, several in one process, spread over GPUs, or interleaved with
// the other side, several concurrently. The results go to the ledger.
#pragma once

#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "perf/gate/run/checker.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/quiet_cpu.h"
#include "perf/gate/run/run_options.h"
#include "perf/gate/run/sliced_launch.h"
#include "perf/support/files.h"

namespace ratchet::gate {

/// Total time of the samples of one launch of one row.
struct SampleSeconds {
  double alone = 0;         ///< 0: not planned yet
  double interleaved = 0;   ///< for each side
  bool as_planned = false;  ///< of rows with long calls, too; else pairs take several calls of each
};

class Launcher {
 public:
  /// Rows that both sides can interleave are interleaved, where RunOptions::slices allows.
  /// Where only one side can, a line of progress says so.
  Launcher(const std::vector<Side>& sides, const RunOptions& options, const std::set<RowId>& rows,
           const Checker& checker, Ledger& ledger, Budget& budget, const Progress& progress);

  /// Rows that share a process, and so its start: those of a GPU, or, where nothing is decided by
  /// their time, all.
  enum class Sharing { gpu_rows, all_rows };
  /// Nothing is launched after an interruption, and nothing is kept of a launch that it stopped.
  /// Launches each row once on each side, with two sides in random order, drawn independently for
  /// each pair: this makes the tests of pairs exact (stats/paired.h). `round`: the number of
  /// earlier rounds.
  void launch(const std::vector<RowId>& rows, std::size_t round,
              Sharing sharing = Sharing::gpu_rows);
  /// Whether the row shares a process with others: of a GPU, or of a program whose process measures
  /// all rows (Abilities::one_process).
  bool shares_process(const RowId& row) const {
    return one_process_ || row.device() == Device::gpu;
  }
  /// Whether both do so, or one process gives both (BenchProgram::process_of).
  bool share_process(const RowId& a, const RowId& b) const;
  /// How many processes a launch of each of these rows takes, if none of them is of a GPU.
  std::size_t processes(const std::set<RowId>& rows) const;
  /// Whether pairs of this row run on one CPU, concurrently with pairs of other rows.
  bool runs_concurrently(const RowId& row) const;
  /// Whether pairs of this row are interleaved between whole runs of several threads.
  bool threads(const RowId& row) const;
  /// Such a row, and its number of pairs.
  using RowPairs = std::pair<RowId, std::size_t>;
  /// Launches pairs of several such rows concurrently, while the budget lasts, but at least one
  /// pair of each.
  void launch_concurrently(const std::vector<RowPairs>& rows, std::size_t round);
  /// Called in launch() after each process of its own, or pair: how many of how many are done.
  using AfterEach = std::function<void(std::size_t done, std::size_t of)>;
  void set_after_each(AfterEach after_each) { after_each_ = std::move(after_each); }
  /// The number of pairs that run concurrently.
  std::size_t slots() const { return slots_; }

  /// RunOptions::launches_a_pair of the pairs to come, where that is 0.
  void set_launches_a_pair(std::size_t launches) { launches_a_pair_ = launches; }

  const SampleSeconds& samples() const { return samples_; }
  void set_samples(const SampleSeconds& samples) { samples_ = samples; }
  /// The useful range of SampleSeconds::interleaved.
  static constexpr double least_interleaved_s = 0.05, most_interleaved_s = 0.1;

 private:
  void agree_on_interleaving(const std::set<RowId>& rows);
  std::vector<std::size_t> draw_order();
  bool are_of_one_process(const std::vector<RowId>& rows) const;
  double sample_s(const std::vector<RowId>& rows) const;

  /// Rows that share a process on each side, and their outcomes.
  struct Batch {
    std::vector<RowId> rows;
    std::vector<std::size_t> order;  ///< of the sides
    LaunchRequest request;
    std::vector<std::map<RowId, LaunchOutcome>> outcomes = {};  ///< by side, by row
    double seconds = 0;
  };
  Batch batch_of(const std::vector<RowId>& rows);
  void run(Batch& batch) const;
  bool fell_apart(const Batch& batch);
  void keep(const Batch& batch, std::size_t round);
  void launch_together(const std::vector<RowId>& rows, std::size_t round);
  void launch_rows(const std::vector<RowId>& rows, std::size_t round, Sharing sharing);
  void launch_in_slots(const std::vector<RowPairs>& rows, std::size_t round);
  bool launch_on_gpus(std::vector<RowId> rows, std::size_t round);

  /// An interleaved pair with its plan and its outcome.
  struct InterleavedPair {
    RowId row;
    SlicePlan plan;
    LaunchRequest request;
    std::vector<std::size_t> order;  ///< of starting the sides
    std::mt19937_64 generator;
    std::size_t slot = 0;  ///< pairs of different slots run concurrently
    double seconds = 0;
    PairOutcome outcome = {};
  };
  InterleavedPair interleaved_pair(const RowId& row, int cpu, std::size_t slot);
  void run(InterleavedPair& pair) const;
  void keep(const InterleavedPair& pair, std::size_t round);
  void launch_interleaved(const RowId& row, std::size_t round);

  void refuse_another_program(std::size_t side) const;

  const std::vector<Side>& sides_;
  const RunOptions& options_;
  const Checker& checker_;
  Ledger& ledger_;
  Budget& budget_;
  const Progress& progress_;
  ScratchFolder scratch_;
  std::mt19937_64 generator_;
  QuietCpu quiet_cpu_;
  std::size_t launches_a_pair_ = 1;
  std::vector<std::string> files_;     ///< by side, what tells the program's file from another
  bool batches_ = true;                ///< several rows may share a process, until one fails
  bool one_process_;                   ///< of all sides
  std::map<RowId, Cpus> interleaved_;  ///< the rows whose pairs are interleaved
  std::size_t slots_;
  SampleSeconds samples_;
  AfterEach after_each_;
};

}  // namespace ratchet::gate
