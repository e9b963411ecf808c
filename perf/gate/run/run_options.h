// Shared by the parts of a run: the builds, the options, the time budget and the progress
// lines.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/contract/row_filter.h"
#include "perf/gate/run/bench_program.h"
#include "perf/support/clock.h"
#include "perf/support/interruption.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {

// The rows that a run measures.

/// The names in `a` that are not in `b`.
std::set<RowId> minus(const std::set<RowId>& a, const std::set<RowId>& b);

struct SelectionOptions {
  std::string filter;   ///< kernels/contract/row_filter.h
  std::string backend;  ///< "cpu", "cuda", ...; empty: all but "mpi", unless the filter names that
  /// Exactly these rows, instead of filter and backend.
  std::optional<std::set<RowId>> names = std::nullopt;
};

class Selection {
 public:
  /// Selects from the listings of one or two builds. Throws `Error` when the filter matches neither
  /// a row nor an unavailable stage, or when a build lists a row twice.
  Selection(const std::vector<Listing>& listings, SelectionOptions options);

  /// Whether filter and backend select a row of this name.
  bool selects(const RowId& name) const;
  /// Whether the row is of a family that the last build lists, or of that program: baselines may
  /// hold rows of several programs.
  bool knows_kin_of(const RowId& name) const;
  /// Selected rows that all builds list.
  const std::set<RowId>& rows() const { return rows_; }
  /// Selected rows that only this build lists.
  const std::set<RowId>& only_in(std::size_t build) const { return only_in_.at(build); }
  /// Selected stages that the last build cannot run here, with the reason.
  const std::map<RowId, std::string>& unavailable() const { return unavailable_; }

 private:
  SelectionOptions options_;
  RowFilter filter_;
  bool selects_name(const RowId& name) const;

  std::string name_;                ///< Listing::name
  std::map<RowId, RowId> metrics_;  ///< Listing::metrics
  std::set<std::string> families_;  ///< of the last build, selected or not
  std::set<RowId> rows_;
  std::vector<std::set<RowId>> only_in_;
  std::map<RowId, std::string> unavailable_;
};

struct RunOptions {
  SelectionOptions selection;
  std::size_t launches = 9;  ///< launches of a row before the first analysis; one side only
  double budget_s = 240;     ///< wall time of the whole run, checks included
  /// Time for the samples of one launch of one row, seconds. 0 with one side: as long as the budget
  /// allows. 0 with two sides: short, since many short pairs detect more than few long ones. Eight
  /// samples fit, because one or two can be disturbed.
  double sample_s = 0;
  double verify_s = 1;     ///< time limit of a row's in-situ check
  std::uint64_t seed = 0;  ///< of the order within pairs
  /// Two sides: launches of each side in a pair, by turns, of which the median counts; odd. 0: one,
  /// and more in late pairs where the budget has time. Not of interleaved rows.
  std::size_t launches_a_pair = 0;
  bool slices = true;  ///< two sides: interleave their processes, if both support it
  /// Devices for GPU rows, as CUDA_VISIBLE_DEVICES names them; with fewer than two, rows run on the
  /// default device.
  std::vector<std::string> gpus = {};
  std::optional<double> slice_s;  ///< length of a slice; default: by the row's CPUs
  /// Number of rows that are measured concurrently, each on its own CPU: rows of one thread whose
  /// pairs are interleaved. 0: one for each CPU, eight at most.
  std::size_t slots = 0;
};

/// A build under measurement.
struct Side {
  std::string name;  ///< for people: "base", "new"; may be empty where there is only one
  const BenchProgram* program = nullptr;
};

/// The number of concurrent processes that are not timed, or of rows that are timed on a CPU each.
/// Below the number of CPUs on large machines: each process has its own memory, and some have
/// threads.
std::size_t most_at_once();

/// The wall time that a run may take.
class Budget {
 public:
  explicit Budget(double seconds) : seconds_(seconds) {}
  double seconds() const { return seconds_; }
  double spent() const { return seconds_now() - start_s_; }
  /// Without the time that is set aside; 0 after an interruption.
  double left() const { return interruption() != 0 ? 0 : seconds_ - spent() - aside_s_; }
  /// With it: no launch begins later, but for the least that every row gets.
  double left_of_all() const { return interruption() != 0 ? 0 : seconds_ - spent(); }
  /// Reserves this time for later work.
  void set_aside(double seconds) { aside_s_ = seconds; }
  /// Of the time spent, how much the programs ran; the rest is the gate's own.
  double measuring() const { return measuring_s_; }
  void add_measuring(double seconds) { measuring_s_ += seconds; }

 private:
  double seconds_;
  double start_s_ = seconds_now();
  double aside_s_ = 0, measuring_s_ = 0;
};

/// What an interruption cuts short is dropped as a whole, and nothing begins after it.
template <class Work>
void until_interruption(const Work& work) {
  if (interruption() != 0) return;
  try {
    work();
  } catch (const Interrupted&) {
    keep_results();
  }
}

/// Lines for people.
class Progress {
 public:
  using Line = std::function<void(const std::string&)>;
  explicit Progress(Line say) : say_(std::move(say)) {}

  void say(const std::string& line) const { say_(line); }
  /// Where things stand, and how long measuring still takes: `least_s` surely (0 where nothing
  /// is sure), `most_s` at most.
  void tell(const std::string& line, double least_s, double most_s);
  /// What tell() said holds no longer: something else begins.
  void clear();
  /// What is being worked on, behind where things stand.
  void show(const std::string& what) const { phase_.now(what, standing_); }

 private:
  Line say_;
  Phase phase_;
  Standing standing_;
};

}  // namespace ratchet::gate
