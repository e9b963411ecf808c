// Where the time or the instructions of a row go, by call stacks, in two builds of its program:
// what `ratchet explain` records, prints and leaves for the report.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// Names of functions, the outermost first; "[libc.so.6]" for those of a file without symbols.
using Stack = std::vector<std::string>;

/// What the innermost function of a stack cost by itself.
struct StackCost {
  double cost = 0;   ///< instructions; or samples, weighted by their periods
  double count = 0;  ///< calls of it; or samples
};
using Recorded = std::map<Stack, StackCost>;

/// A part of Callgrind's output, recorded with --separate-callers: each function by its callers.
/// Throws `Error` naming `what` where it is none.
Recorded read_callgrind(std::string_view text, const std::string& what);
/// The output of `perf script --fields=period,ip,sym,dso`. Functions of the kernel count as one,
/// "[kernel]". Throws `Error` naming `what` where it holds no sample.
Recorded read_perf_script(std::string_view text, const std::string& what);

/// The stacks in the row's loop alone, from the benchmark's function on; of ratchet's own rows,
/// what its timer runs. Start-up and the harness are left out; threads that the row started are
/// not. Throws `Error` where no stack is in a loop, as of a program without symbols.
Recorded in_the_loop(const Recorded& recorded, const std::string& what);

enum class Profiler {
  perf,      ///< samples of time
  callgrind  ///< executed instructions
};

struct Profile {
  Recorded stacks;     ///< costs of one call of the row, in nanoseconds or instructions
  double calls = 0;    ///< recorded ones; 0: not known
  double samples = 0;  ///< in the loop; 0: an exact count
  double total() const;
};

/// A function in two builds.
struct FunctionChange {
  std::string function;
  double before = 0, now = 0;  ///< by itself, of one call of the row
  double error = 0;            ///< of the change, two standard deviations; 0 of exact counts
  bool in_before = false, in_now = false;  ///< it is on a recorded stack of that build
  double change() const { return now - before; }
  /// Larger than the error of sampling.
  bool sure() const { return change() > error || -change() > error; }
};

/// All functions but those of both builds that only call others; the first gained most.
std::vector<FunctionChange> function_changes(const Profile& before, const Profile& now);

/// A node of the tree of calls of both builds.
struct CallNode {
  std::size_t parent = 0;  ///< an index; of the first node, which is the row, itself
  std::string function;
  double before = 0, now = 0;  ///< with all that it calls, of one call of the row
};

/// The root, and every node of at least a thousandth of a call in either build, a parent before its
/// children. Those deeper than 60 calls count where they were called from.
std::vector<CallNode> call_tree(const std::string& row, const Profile& before, const Profile& now);

// Recording.

/// Why `perf record` cannot be used here; empty where it can.
std::string perf_refusal();
/// Why Callgrind cannot; empty where it can.
std::string valgrind_refusal();
/// The profiler to use: `wanted`, or perf where it is allowed, else callgrind. `why` gets why it is
/// not perf. Throws `Error` where it cannot be used here, or neither can.
Profiler choose_profiler(const std::optional<Profiler>& wanted, std::string& why);

/// Runs the row of this program under the profiler. `calls`: iterations, if the program can be told
/// (Google Benchmark since 1.8) and not 0. Throws `Error` naming the program where it fails, and
/// `instead`, what to do where Callgrind cannot run it.
Profile record_row(const ProgramOptions& program, const RowId& row, Profiler profiler, double calls,
                   const std::string& instead = "use --tool perf");

/// What was recorded of a row, with its origin; kept in profile.json for the report.
struct TwoProfiles {
  RowId row;
  Profiler profiler = Profiler::callgrind;
  std::string before_commit, why_before;  ///< which revision the other build is of, and why that
  std::string revision;                   ///< of this build
  std::string time;                       ///< UTC
  std::string why_profiler;               ///< why it is not perf; may be empty
  Profile before, now;
};

std::string to_string(Profiler profiler);
/// "instructions" or "ns".
std::string unit_of(Profiler profiler);

/// {"row", "tool", "unit", "before", "now", "functions", "tree", ...}: guide/bisect.md.
nlohmann::json to_json(const TwoProfiles& profiles);

}  // namespace ratchet::gate
