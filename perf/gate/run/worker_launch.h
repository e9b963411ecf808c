// What a process of ratchet-bench leaves behind, and one that is interleaved: the gate's side of
// perf/measure/interleaving_protocol.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/gate/run/sliced_launch.h"
#include "perf/measure/interleaving_protocol.h"
#include "perf/support/child_process.h"
#include "perf/support/process.h"

namespace ratchet::gate {

/// What a process of ours left of each row in `output`; one that died or wrote nonsense fails all.
std::map<RowId, LaunchOutcome> read_outcomes(const ProcessResult& result,
                                             const std::filesystem::path& output,
                                             const std::vector<RowId>& rows);

/// The file of a launch's samples, next to the file of its rows.
std::filesystem::path samples_file(const LaunchRequest& request);

class WorkerLaunch final : public SlicedLaunch {
 public:
  /// Starts it. Of the time that it runs, not that it stands still, it has `limit_s`.
  WorkerLaunch(RowId row, const std::vector<std::string>& command, const LaunchRequest& request,
               double limit_s);

  double prepared() override;
  void begin(std::size_t samples) override;
  bool run(const Slice& slice) override;
  void conclude() override;
  LaunchOutcome outcome() override;

 private:
  std::optional<std::string> read_line(double limit_s);
  std::string await();
  [[noreturn]] void fail(const std::string& what);
  bool run_whole(std::size_t runs);
  void expect_done(const std::string& line);
  void stop();
  void go_on();

  RowId row_;
  std::filesystem::path output_;
  std::filesystem::path samples_;  ///< empty where the launch was not asked for them
  const std::vector<int> cpus_;    ///< for its threads; empty: as it and the system see fit
  const bool between_runs_;
  std::size_t missing_ = 0;  ///< samples that it has not taken yet
  double limit_s_, left_s_;
  ChildProcess process_;
  std::int64_t stopped_ns_ = 0;
  std::string failure_;  ///< for which it was given up
  std::vector<timing::Pause> pauses_;
};

// Rows of several processes, with "/ranks:N" in their names: mpirun starts them.

/// The rows by their number of ranks; those of one number form a job.
std::map<std::uint64_t, std::vector<RowId>> by_ranks(const std::vector<RowId>& rows);

/// run_process() on several ranks. mpirun ends all ranks when one fails, and when it gets SIGTERM;
/// the result's last error is then the line that names the rank and its host.
ProcessResult run_ranks(std::uint64_t ranks, const std::vector<std::string>& command,
                        double limit_s, const Environment& environment = {});

/// The stderr of mpirun and the ranks. The line that names the failed rank is repeated at the end,
/// or else the first line with a word; without either the text is unchanged.
std::string with_rank_at_fault_last(const std::string& errors);

}  // namespace ratchet::gate
