// How rows are launched: in a process each, together in one, spread over GPUs, or interleaved with
// the other side, several at once. What they measure goes to the ledger.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "perf/gate/run/checker.h"
#include "perf/gate/run/ledger.h"
#include "perf/gate/run/quiet_cpu.h"
#include "perf/gate/run/session_options.h"
#include "perf/gate/run/sliced_launch.h"
#include "perf/support/files.h"

namespace ratchet::gate {

/// How long the samples of one launch of one row are.
struct SampleSeconds {
  double alone = 0;        ///< 0: not planned yet
  double interleaved = 0;  ///< of each side
};

class Launcher {
 public:
  /// Rows that both of two sides can interleave are interleaved, where SessionOptions::slices
  /// allows; where one cannot though the other can, that is said.
  Launcher(const std::vector<Side>& sides, const SessionOptions& options,
           const std::set<std::string>& rows, const Checker& checker, Ledger& ledger,
           Budget& budget, const Progress& progress);

  /// Launches each row once a side; of two sides in an order that is drawn at random,
  /// independently, which is what makes the judgement of pairs exact (stats/paired.h). `round`: how
  /// many were made before.
  void launch(const std::vector<std::string>& rows, std::size_t round);
  /// Whether pairs of this row are made on one CPU while others are made on others.
  bool runs_concurrently(const std::string& row) const;
  /// A row that goes beside others, and how many pairs of it.
  using RowPairs = std::pair<std::string, std::size_t>;
  /// Launches pairs of several such rows at once, while the budget lasts, but one of each.
  void launch_concurrently(const std::vector<RowPairs>& rows, std::size_t round);
  /// How many of them are under way at a time.
  std::size_t slots() const { return slots_; }

  const SampleSeconds& samples() const { return samples_; }
  void set_samples(const SampleSeconds& samples) { samples_ = samples; }
  /// The least and the most that it is good for to sample a side interleaved.
  static constexpr double least_interleaved_s = 0.05, most_interleaved_s = 0.1;

 private:
  void agree_on_interleaving(const std::set<std::string>& rows);
  std::vector<std::size_t> draw_order();
  double sample_s(const std::vector<std::string>& rows) const;

  /// Rows that share a process a side, and what these measured.
  struct Batch {
    std::vector<std::string> rows;
    std::vector<std::size_t> order;  ///< of the sides
    LaunchRequest request;
    std::vector<std::map<std::string, LaunchOutcome>> outcomes = {};  ///< by side, by row
    double seconds = 0;
  };
  Batch batch_of(const std::vector<std::string>& rows);
  void run(Batch& batch) const;
  bool fell_apart(const Batch& batch);
  void keep(const Batch& batch, std::size_t round);
  void launch_together(const std::vector<std::string>& rows, std::size_t round);
  bool launch_on_gpus(std::vector<std::string> rows, std::size_t round);

  /// An interleaved pair, and what it needs.
  struct InterleavedPair {
    std::string row;
    SlicePlan plan;
    LaunchRequest request;
    std::vector<std::size_t> order;  ///< in which the sides are started
    std::mt19937_64 generator;
    std::size_t slot = 0;  ///< those of different slots may be under way at once
    double seconds = 0;
    PairOutcome outcome = {};
  };
  InterleavedPair interleaved_pair(const std::string& row, int cpu, std::size_t slot);
  void run(InterleavedPair& pair) const;
  void keep(const InterleavedPair& pair, std::size_t round);
  void launch_interleaved(const std::string& row, std::size_t round);

  const std::vector<Side>& sides_;
  const SessionOptions& options_;
  const Checker& checker_;
  Ledger& ledger_;
  Budget& budget_;
  const Progress& progress_;
  ScratchFolder scratch_;
  std::mt19937_64 generator_;
  QuietCpu quiet_cpu_;
  bool batches_ = true;                      ///< until one fails
  std::map<std::string, Cpus> interleaved_;  ///< the rows whose pairs are interleaved
  std::size_t slots_;
  SampleSeconds samples_;
};

}  // namespace ratchet::gate
