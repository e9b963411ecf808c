// The outcome of a gate run: every output is made of this one value.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/gate/base/base_build.h"
#include "perf/gate/override.h"
#include "perf/gate/provenance.h"
#include "perf/gate/rule/limit.h"
#include "perf/gate/rule/verdicts.h"
#include "perf/gate/run/bench_program.h"
#include "perf/measure/doctor/diagnosis.h"

namespace ratchet::gate {

// The circumstances of a run, stored with its results: date, load, the machine's diagnosis, what
// was compared, and the commands that repeat it.

struct Circumstances {
  std::string id;            ///< of the run in every history and file; random
  std::string began;         ///< UTC (perf/support/clock.h)
  std::vector<double> load;  ///< load averages over 1, 5 and 15 minutes; empty where unknown
  std::vector<doctor::Diagnosis> machine;  ///< of `ratchet doctor`, without its noise measurement
  double seconds = 0;                      ///< wall time of the run
  double budget_s = 0;                     ///< its time budget; 0: it measured nothing
  std::string against;                     ///< "base: main (0123456789ab)", "stored baselines"
  Provenance provenance;                   ///< the commits that were compared
  std::vector<Override> overrides;         ///< slowdowns that the commits between them accept
  /// Command lines by purpose ("repeat", "explain", "profile", "accept", "bisect"), with "{row}"
  /// for the name of a row.
  std::map<std::string, std::string> commands;
  std::string no_bisect;  ///< why "bisect" is missing, where the user can change that
  std::string no_base;    ///< why no other revision of the program can be built; empty: it can
};

/// Date, load and machine now. Takes a few milliseconds; call it before anything is launched.
Circumstances circumstances_now();

/// {"id", "began", "load", "doctor", "seconds", "budget_s", "against", "commands"}, what
/// to_json(Provenance) has, and to_json(Override) as "accepts" where there are such.
nlohmann::json to_json(const Circumstances& circumstances);

/// How a gate was called.
struct GateCall {
  std::string program = "ratchet";  ///< the program, as it was called
  std::filesystem::path bench;      ///< the benchmark program
  bool explainable = true;          ///< its build has digests of what its rows execute
  std::string base;  ///< the commit of --base, as its name may move; empty: stored baselines
  std::filesystem::path baselines, results;
  std::string arguments = "";  ///< those of the program, with the dashes: argument_words()
  bool checked = true;         ///< a test checks the results of every measured row
  std::string command = "";    ///< of --exec, in place of `bench`
  bool recordable = false;     ///< `explain` records its rows
  bool profiles = true;        ///< this build of ratchet has the command `profile`
  /// By command of ratchet: " --strict --budget-s 60", the options given here that it takes, too.
  std::map<std::string, std::string> given = {};
};

/// " --clock cpu", where the user named a clock.
std::string clock_words(ClockChoice clock);
/// Of `bisect`, which reads no baselines, the metrics that they hold.
std::string metric_words(const ProgramOptions& bench);
/// " -- --my_flag", or nothing.
std::string argument_words(const std::vector<std::string>& arguments);

/// Circumstances::commands of a call. Pairs cannot be accepted, and only programs of ratchet's
/// timing library explained without a recording and, by their ranges, profiled.
std::map<std::string, std::string> gate_commands(const GateCall& call);

struct BisectOffer {
  std::string command;  ///< finds the commit since `good` that made a row slower, by their hashes
  std::string why_not;  ///< in place of a command, where the user can change that
};

/// Nothing where `bisect` would refuse or could not find it: `good` is HEAD or not before it, or
/// the change is not committed. A change in the folder of the baselines changes no build.
BisectOffer offer_bisect(const GateCall& call, const std::filesystem::path& repository,
                         const std::string& good);

/// A command of Circumstances::commands for this row. `option`: " --budget-s 60", to add, or in the
/// place of the one with another value.
std::string command_for(const std::string& command, const RowId& row,
                        const std::string& option = "");

/// `word`, quoted for a shell where needed.
std::string shell_quoted(const std::string& word);

/// Rows that only `accept` lets pass: missing ones, those of changed work, and beside them new
/// ones, since a renamed row is one of each. None where a row has no baseline to be compared with.
std::vector<RowId> rows_to_accept(const std::vector<RowReport>& reports);

/// A command that the notes of a run suggest.
struct NextStep {
  std::string purpose;  ///< a key of Circumstances::commands
  std::string command;  ///< with the row's name in it
};

/// A finished gate run.
struct Outcome {
  std::vector<RowReport> reports;  ///< worst first
  Measurements measured;           ///< this build's launches
  Measurements base;     ///< the other side's launches; no rows where nothing was compared
  std::string revision;  ///< of this build
  std::string title;     ///< which programs were compared
  double build_s = 0;    ///< that the base's build took, which is not in `circumstances.seconds`
  /// The command that makes these results a baseline, for a run without one; of rows_to_accept()
  /// alone where there are such.
  std::string accept_command;
  std::string accept_faster;       ///< makes the faster rows their own baseline, if there are any
  std::string nothing_to_compare;  ///< why there is no base; empty where there is one
  double seconds_measuring = 0;    ///< of `circumstances.seconds`, those in benchmark programs
  std::string note;                ///< text in addition to the table (output/notes.h)
  std::vector<NextStep> next;      ///< the commands in it, in its order
  Policy policy;
  std::string stale;          ///< that the program is older than a source; empty: it is not
  std::string lost;           ///< what of the run could not be kept; empty: nothing
  bool interrupted = false;   ///< by a signal (perf/support/interruption.h)
  bool of_two_rows = false;   ///< the sides are two rows (compare --rows)
  bool side_by_side = false;  ///< `base` was measured in the same run
  bool explainable = true;    ///< the builds have digests of what their rows execute
  /// The pairs of rows that were measured side by side with the build of their baseline.
  Measurements pairs_before, pairs_now;
  Circumstances circumstances;
};

/// What the exit code depends on.
Ending ending_of(const Outcome& outcome);

/// The number of rows without a check of their results.
std::size_t unchecked_rows(const Measurements& measured);

}  // namespace ratchet::gate
