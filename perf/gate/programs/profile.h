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
  double cost = 0;      ///< instructions; samples, weighted by their periods; or time of a kernel
  double count = 0;     ///< calls of it; samples; or launches
  double variance = 0;  ///< of the cost of kernels; that of samples follows from their number
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
  perf,       ///< samples of time
  callgrind,  ///< executed instructions
  ncu         ///< time and counters of CUDA kernels
};

/// A figure of a kernel, the mean of its launches.
struct KernelCounter {
  const char* metric;  ///< as ncu names it
  const char* name;
  const char* unit;  ///< "B", "%"; or none
};
/// Those that are recorded with the time of a kernel.
const std::vector<KernelCounter>& kernel_counters();

/// Of launches of a kernel.
struct Mean {
  double value = 0;
  double variance = 0;  ///< of the mean; 0 of a single launch, too
};
/// By KernelCounter::name.
using Counters = std::map<std::string, Mean>;

struct Profile {
  Recorded stacks;     ///< costs of one call of the row, in nanoseconds or instructions
  double calls = 0;    ///< recorded ones; 0: not known, and kernels are those of one launch each
  double samples = 0;  ///< in the loop; 0: an exact count
  std::map<std::string, Counters> counters = {};  ///< by kernel
  bool with_preparation = false;  ///< kernels that run once, before the calls, are in it
  double total() const;
};

/// A launch of a kernel.
struct KernelLaunch {
  std::string kernel;
  double ns = 0;
  std::map<std::string, double> counters;  ///< by KernelCounter::name; those that ncu could read
};
/// The output of `ncu --csv --page raw --print-units base`, in order. Throws `Error` naming `what`
/// where it cannot be read, with what ncu complains of, if it does.
std::vector<KernelLaunch> read_ncu(std::string_view text, const std::string& what);
/// What a call launches. `before_loop`: launches of a run with `fewer` calls than this one, whose
/// kernels are left out as often as both runs launched them; without it, all launches count.
/// `calls` 0: one launch of each kernel.
Profile profile_of(const std::vector<KernelLaunch>& launches, double calls,
                   const std::vector<KernelLaunch>& before_loop = {}, double fewer = 0);
/// One launch of each kernel, as where the other side's number of calls is not known.
Profile of_one_launch(Profile profile);
/// What ncu records of ratchet's own row or rank: its NVTX range. '/' separates nested ranges
/// there, and names are full of it; in a regular expression a '.' stands for it.
std::string ncu_filter(std::string range);

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
/// Why ncu cannot; empty where it can.
std::string ncu_refusal();
/// The profiler to use: `wanted`; or ncu for kernels, otherwise perf where it is allowed, else
/// callgrind. `why` gets why it is not perf. Throws `Error` where it cannot be used here, or none
/// can.
Profiler choose_profiler(const std::optional<Profiler>& wanted, bool kernels, std::string& why);

/// Runs the row of this program under perf or Callgrind. `calls`: iterations, if the program can be
/// told (Google Benchmark since 1.8) and not 0. Throws `Error` naming the program where it fails,
/// and `instead`, what to do where Callgrind cannot run it.
Profile record_row(const ProgramOptions& program, const RowId& row, Profiler profiler, double calls,
                   const std::string& instead = "use --tool perf");
/// Runs the row of this program under ncu, twice where the number of calls can be told, so that
/// kernels of the preparation are known. Throws `Error` where that fails.
Profile record_kernels(const ProgramOptions& program, const RowId& row);

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

/// "instructions of warps 1.2 M -> 1.9 M, blocks 64 -> 32": counters of a kernel that changed by a
/// percent or more, and by more than two standard deviations; "" if none did.
std::string changed_counters(const Counters& before, const Counters& now);

/// {"row", "tool", "unit", "before", "now", "functions", "tree", ...}: guide/bisect.md.
nlohmann::json to_json(const TwoProfiles& profiles);

}  // namespace ratchet::gate
