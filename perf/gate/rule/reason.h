// The reason of a verdict, and remarks on a row, as values. to_string() gives their texts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perf/gate/baseline/verdict.h"
#include "perf/stats/modes.h"
#include "perf/stats/nodes.h"
#include "perf/stats/quantile.h"

namespace ratchet::gate {

// The launches do not decide.
struct TooWide {
  int side = 0;  ///< where the ratio lies: -1 below the tolerance, 0 within, 1 above
};
struct FewPairs {
  std::size_t pairs = 0, least = 0;  ///< the least that give an interval; 0: not known
  int side = 0;  ///< as in TooWide; not 0: of the simultaneous interval, the other one is there
};
struct SmallBaseline {
  std::size_t launches = 0;
};
struct FewLaunches {
  std::size_t launches = 0, least = 0;
};
struct OneLaunch {};  ///< of a row that is compared with itself
struct ApartAsClockRan {
  Verdict at_equal_clocks = Verdict::same;
  double change = 0;  ///< of the ratio as measured, relative
};
struct ApartFromReference {
  Verdict measured = Verdict::same, normalised = Verdict::same;
  double machine_ratio = 1;  ///< speed of the control workload now over then
};
struct BetweenOccasions {
  Verdict by_launches = Verdict::same;
  std::optional<stats::OccasionShift> shift;  ///< nothing: there is one stored occasion
};
struct OthersHeldCpu {
  std::size_t contended = 0, of = 0;  ///< launches
};
struct OnlyByTime {
  Verdict by_time = Verdict::same;  ///< though the machine code is the same
};

// The sides cannot be compared.
struct OtherBasis {
  std::string now, before;  ///< counters that throughput was taken from; empty: units_per_second
};
struct OtherUnits {
  double now = 0, before = 0;  ///< work of one call
};
struct OtherInterleaving {
  bool now = false;  ///< this build was measured interleaved; otherwise the baseline was
};
struct OtherQuantile {
  double now = 0, before = 0;
};
struct OtherCache {
  bool now = false;  ///< this build's samples began with a cold L2 cache; otherwise the baseline's
};
struct LeastMemory {};  ///< of both sides: what they take below it is not seen
struct MeasuresNothing {
  double ns = 0;
  bool a_call = false;  ///< a call is an empty loop; otherwise the run is too short for a clock
};
struct NoBaseline {
  std::optional<Verdict> against_itself = {};  ///< nothing of one launch
};
struct NotStored {};  ///< though other rows of this machine are
struct NotHere {
  std::string file;     ///< the baseline that has the row
  std::string but_now;  ///< why it cannot run; empty: this build lacks it
};
struct MeasuredOn {
  std::string machine;  ///< the only machine with a baseline of the row
};
struct Skipped {
  std::string why;  ///< the program's message
  bool in_baseline = false;
};
struct NotMeasured {};  ///< the run was interrupted before
struct OnlyInBase {};
struct OnlyInNew {};

// Verdicts without a clock, and verdicts over nodes.
struct IdenticalWork {
  bool timed = true;
};
struct OnNode {
  std::string node;
  std::size_t more = 0;  ///< further nodes with the same verdict
  std::string why;       ///< the node's reason
};
struct FewNodes {
  std::size_t judged = 0, asked = 0;
};
struct FewNodesAgree {
  Verdict over_nodes = Verdict::same;
  std::size_t agree = 0, of = 0;
};

/// Why a row has its verdict; a text where it comes from a program, a file or a node.
using Reason =
    std::variant<std::monostate, std::string, TooWide, FewPairs, SmallBaseline, FewLaunches,
                 OneLaunch, ApartAsClockRan, ApartFromReference, BetweenOccasions, OthersHeldCpu,
                 OnlyByTime, OtherBasis, OtherUnits, OtherInterleaving, OtherQuantile, OtherCache,
                 MeasuresNothing, NoBaseline, NotStored, NotHere, MeasuredOn, Skipped, NotMeasured,
                 OnlyInBase, OnlyInNew, IdenticalWork, OnNode, FewNodes, FewNodesAgree>;

inline bool is_given(const Reason& reason) {
  return !std::holds_alternative<std::monostate>(reason);
}

/// A short clause; may be empty.
std::string to_string(const Reason& reason);

// Remarks on a row, whatever its verdict.
struct SameMachineCode {};
struct JudgedByTime {};  ///< --by-time, of identical work
struct NotFollowed {};   ///< what it executes was not compared
struct HeldByOthers {};  ///< every launch was contended
struct Exact {};         ///< Facts::exact
/// The change of wall time lies between these, relative as a change of throughput.
struct ByCpuTime {
  double low = 0, high = 0;
};
struct Layout {
  double beyond = 0;  ///< relative difference from the other rows of identical work
  std::size_t launches = 0;
};
/// Of a row that is slower or faster as built, or seems so, pairs of other layouts of both
/// programs.
struct ByLayouts {
  Verdict as_built = Verdict::slower, in_layouts = Verdict::undecided;
  bool decide = true;       ///< false: they are too few
  double change = 0;        ///< as built, of throughput, relative
  std::size_t layouts = 0;  ///< of each program
};
struct MeasuredAgainst {
  std::string commit;
};
/// The launches of a side fall into two groups (stats/modes.h).
struct Bimodal {
  bool before = false;    ///< of the other side
  stats::TwoModes rates;  ///< throughput
  std::string unit;
};
/// Of a row whose time is that of its kernels alone: while the GPU ran none of them, between the
/// first and the last.
struct LaunchGaps {
  double seconds = 0;                       ///< of a call
  double share = 0;                         ///< of the call's span
  std::optional<double> before_share = {};  ///< of the other side; nothing without one
};
struct Waits {
  bool certain = false;  ///< and so wall time decides; else others may have used its CPU
  double share = 0;      ///< CPU time over wall time, the most of its launches
};
struct OtherClock {
  std::string before, now;  ///< to_string(Clock); empty: not known
};
struct Namesakes {
  std::string side;
  std::size_t rows = 0;  ///< of one name
};
struct OverNodes {
  std::size_t nodes = 0;
  std::size_t slower = 0;  ///< nodes that call the row slower, where the fleet cannot decide
};
/// Of an absolute limit (stated_limit.h).
struct AtLimit {
  std::string limit;  ///< "< 5 ms"
  std::string unit;   ///< of the figures below
  enum class State { kept, exceeded, undecided };
  State state = State::undecided;
  std::size_t launches = 0;
  double figure = 0;                           ///< the median of the launches
  std::optional<stats::Interval> bounds = {};  ///< of it; nothing: too few launches
  bool stored = false;                         ///< in the baseline
  std::vector<std::string> in_place_of = {};   ///< stored limits that it replaces in this run
  std::string other_unit = {};  ///< of the row, where that of a stored limit does not fit
};
std::string to_string(AtLimit::State state);
/// Of a slower, changed or missing row: the commit whose message accepts that.
struct AcceptedBy {
  std::string commit;
  double share = 0;  ///< what it accepts: 0.03 is a loss of 3 %, 0 that the row is changed or gone
  std::string why;
  bool holds = false;    ///< the row is not surely slower than that
  bool removed = false;  ///< that it is gone
};
using Remark =
    std::variant<SameMachineCode, JudgedByTime, NotFollowed, HeldByOthers, Exact, ByCpuTime,
                 MeasuredAgainst, Layout, ByLayouts, Bimodal, LaunchGaps, MeasuresNothing,
                 LeastMemory, Waits, OtherClock, Namesakes, OverNodes, AtLimit, AcceptedBy>;

/// "identical machine code"
std::string to_string(const Remark& remark);
std::vector<std::string> texts(const std::vector<Remark>& remarks);
/// OverNodes::slower; 0 without that remark.
std::size_t nodes_that_call_slower(const std::vector<Remark>& remarks);

/// How the work of a GPU differs between the sides.
struct OtherDeviceWork {
  struct Figure {
    std::string words;  ///< "blocks"
    double now = 0, before = 0;
  };
  std::vector<Figure> figures;  ///< empty: the difference is in grids, registers or memory
};
/// "1056 blocks, 528 before"
std::string to_string(const OtherDeviceWork& work);

}  // namespace ratchet::gate
