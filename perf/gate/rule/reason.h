// Why a row has the verdict that it has, as values: what shows them asks for the words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "perf/gate/baseline/verdict.h"
#include "perf/stats/occasions.h"

namespace ratchet::gate {

// Why the launches do not decide.
struct TooWide {
  int side = 0;  ///< of the tolerance, on which the ratio lies: -1 below, 0 within, 1 above
};
struct SmallBaseline {
  std::size_t launches = 0;
};
struct FewLaunches {
  std::size_t launches = 0, least = 0;
};
struct OneLaunch {};  ///< held against itself
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
  std::optional<stats::OccasionShift> shift;  ///< nothing: one stored session
};
struct OthersHeldCpu {
  std::size_t contended = 0, of = 0;  ///< launches
};
struct OnlyByTime {
  Verdict by_time = Verdict::same;  ///< of the same machine code
};

// Why the sides cannot be compared.
struct OtherBasis {
  std::string now, before;  ///< counters that throughput was taken from; empty: units_per_second
};
struct OtherUnits {
  double now = 0, before = 0;  ///< of one call
};
struct OtherInterleaving {
  bool now = false;  ///< the side that was measured interleaved; else the baseline
};
struct OtherQuantile {
  double now = 0, before = 0;
};
struct MeasuresNothing {
  double ns = 0;
  bool a_call = false;  ///< a call is an empty loop; else all of it is too short for a clock
};
struct NoBaseline {
  Verdict against_itself = Verdict::undecided;
};
struct NotStored {};  ///< but others of this machine are
struct NotHere {
  std::string file;     ///< of the baseline that has it
  std::string but_now;  ///< why it cannot run; empty: this build lacks it
};
struct MeasuredOn {
  std::string machine;  ///< and on no other
};
struct Skipped {
  std::string why;  ///< in the program's words
  bool in_baseline = false;
};
struct OnlyInBase {};
struct OnlyInNew {};

// What stands without a clock, and what nodes say.
struct IdenticalWork {};
struct OnNode {
  std::string node;
  std::size_t more = 0;  ///< nodes of which the same is so
  std::string why;       ///< in the node's words
};
struct FewNodes {
  std::size_t judged = 0, asked = 0;
};
struct FewNodesAgree {
  Verdict over_nodes = Verdict::same;
  std::size_t agree = 0, of = 0;
};

/// Why a row has its verdict; text where a program, a file or a node said it.
using Reason =
    std::variant<std::monostate, std::string, TooWide, SmallBaseline, FewLaunches, OneLaunch,
                 ApartAsClockRan, ApartFromReference, BetweenOccasions, OthersHeldCpu, OnlyByTime,
                 OtherBasis, OtherUnits, OtherInterleaving, OtherQuantile, MeasuresNothing,
                 NoBaseline, NotStored, NotHere, MeasuredOn, Skipped, OnlyInBase, OnlyInNew,
                 IdenticalWork, OnNode, FewNodes, FewNodesAgree>;

inline bool is_given(const Reason& reason) {
  return !std::holds_alternative<std::monostate>(reason);
}

/// A short clause, may be empty.
std::string to_string(const Reason& reason);

// What else is known of a row, whatever its verdict.
struct SameMachineCode {};
struct HeldByOthers {};  ///< all launches that it has
struct Layout {
  double beyond = 0;  ///< relative, against the other rows of identical work
};
struct MeasuredAgainst {
  std::string commit;
};
struct Waits {
  std::string basis;  ///< what its throughput is taken from
  double share = 0;   ///< of CPU time in real time
};
struct Namesakes {
  std::string side;
  std::size_t rows = 0;  ///< of one name
};
struct OverNodes {
  std::size_t nodes = 0;
};
using Remark = std::variant<SameMachineCode, HeldByOthers, MeasuredAgainst, Layout, MeasuresNothing,
                            Waits, Namesakes, OverNodes>;

/// "identical machine code"
std::string to_string(const Remark& remark);
std::vector<std::string> texts(const std::vector<Remark>& remarks);

/// What a GPU was given to do, where that differs between the sides.
struct OtherDeviceWork {
  struct Figure {
    std::string words;  ///< "blocks"
    double now = 0, before = 0;
  };
  std::vector<Figure> figures;  ///< empty: something else of its grids, registers or memory
};
/// "1056 blocks, 528 before"
std::string to_string(const OtherDeviceWork& work);

}  // namespace ratchet::gate
