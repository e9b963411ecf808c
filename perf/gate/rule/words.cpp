// The words for what the rules found. Nothing here decides.
#include <fmt/format.h>

#include <cmath>

#include "perf/gate/rule/reason.h"
#include "perf/stats/nodes.h"

namespace ratchet::gate {
namespace {

struct Words {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const TooWide& why) const {
    if (why.side == 0) return "the interval is wider than the tolerance";
    return fmt::format("the estimate is {}, but the interval reaches into the tolerance",
                       why.side < 0 ? "slower" : "faster");
  }
  std::string operator()(const SmallBaseline& why) const {
    return fmt::format("a baseline of {} launches is too small to compare with", why.launches);
  }
  std::string operator()(const FewLaunches& why) const {
    return fmt::format("{} launches are too few, {} are the least", why.launches, why.least);
  }
  std::string operator()(const OneLaunch&) const {
    return "one launch cannot be compared with itself";
  }
  std::string operator()(const ApartAsClockRan& why) const {
    return fmt::format("{} at equal clocks, but {:+.2f} % as the clock ran",
                       to_string(why.at_equal_clocks), why.change * 100);
  }
  std::string operator()(const ApartFromReference& why) const {
    return fmt::format(
        "{} as measured, but {} beside the control workload, which ran at {:+.1f} % of its speed "
        "then: the machine differs, not only the code",
        to_string(why.measured), to_string(why.normalised), (why.machine_ratio - 1) * 100);
  }
  std::string operator()(const BetweenOccasions& why) const {
    std::string apart = "one stored session cannot tell the code from the day; --base can";
    if (why.shift)
      apart = fmt::format("{} {} lie {:.1f} % apart", why.shift->seen,
                          why.shift->of_rows ? "rows of identical work" : "stored occasions",
                          100 * std::expm1(why.shift->deviation));
    if (why.shift && why.shift->of_rows)
      apart += fmt::format(", and moved by {:+.1f} %", 100 * (std::exp(why.shift->centre) - 1));
    return fmt::format("{} by its launches, but {}", to_string(why.by_launches), apart);
  }
  std::string operator()(const OthersHeldCpu& why) const {
    return fmt::format("others held the CPU in {} of {} launches: `ratchet doctor` says who",
                       why.contended, why.of);
  }
  std::string operator()(const OnlyByTime& why) const {
    return fmt::format("{} by time, but identical machine code: noise, or the launch changed",
                       to_string(why.by_time));
  }
  std::string operator()(const OtherBasis& why) const {
    return fmt::format("throughput is {}, in the baseline {}",
                       why.now.empty() ? "units_per_second" : why.now,
                       why.before.empty() ? "units_per_second" : why.before);
  }
  std::string operator()(const OtherUnits& why) const {
    return fmt::format("the work of one call is {:.6g}, in the baseline {:.6g}", why.now,
                       why.before);
  }
  std::string operator()(const OtherInterleaving& why) const {
    return fmt::format("a launch {} samples interleaved with another process, in the baseline {}",
                       why.now ? "took its" : "took no", why.now ? "not" : "it did");
  }
  std::string operator()(const OtherQuantile& why) const {
    return fmt::format(
        "a launch is summed up by its {:.3g}-quantile, in the baseline by its {:.3g}-quantile",
        why.now, why.before);
  }
  std::string operator()(const MeasuresNothing& what) const {
    if (what.a_call)
      return fmt::format("measures nothing: {:.2g} ns a call is an empty loop", what.ns);
    return fmt::format("measures nothing: {:.3g} ns in all is as short as a clock can tell",
                       what.ns);
  }
  std::string operator()(const NoBaseline& why) const {
    return "no baseline of this machine; the build against itself: " +
           to_string(why.against_itself);
  }
  std::string operator()(const NotStored&) const { return "not in the baseline"; }
  std::string operator()(const NotHere& why) const {
    return fmt::format("in {}, {}", why.file,
                       why.but_now.empty() ? "not in this build" : "but now: " + why.but_now);
  }
  std::string operator()(const MeasuredOn& why) const {
    return "measured on " + why.machine + " only";
  }
  std::string operator()(const Skipped& why) const {
    return (why.in_baseline ? "in the baseline, now skipped: " : "skipped: ") + why.why;
  }
  std::string operator()(const OnlyInBase&) const { return "in the base, not in this build"; }
  std::string operator()(const OnlyInNew&) const { return "not in the base"; }
  std::string operator()(const IdenticalWork& why) const {
    return why.timed ? "identical work" : "identical work; not timed, since one call is long";
  }
  std::string operator()(const OnNode& why) const {
    const std::string more = why.more > 0 ? fmt::format(" and {} more", why.more) : "";
    return fmt::format("on {}{}: {}", why.node, more, why.why);
  }
  std::string operator()(const FewNodes& why) const {
    if (why.judged < stats::kLeastNodes)
      return fmt::format("{} of {} nodes compared it: {} are the least that speak for a kind",
                         why.judged, why.asked, stats::kLeastNodes);
    return fmt::format("{} of {} nodes compared it: not more than half", why.judged, why.asked);
  }
  std::string operator()(const FewNodesAgree& why) const {
    return fmt::format("{} over nodes, but {} of {} say so against the stored figures",
                       to_string(why.over_nodes), why.agree, why.of);
  }
  std::string operator()(const SameMachineCode&) const { return "identical machine code"; }
  std::string operator()(const HeldByOthers&) const { return "others held the CPU"; }
  std::string operator()(const MeasuredAgainst& what) const { return "beside " + what.commit; }
  std::string operator()(const Layout& what) const {
    return fmt::format("layout: {:+.1f} % beside other rows of identical work", 100 * what.beyond);
  }
  std::string operator()(const Waits& what) const {
    return fmt::format(
        "it waits: its {} counts CPU time, {:.2g} % of its real time, and no longer wait is seen; "
        "->UseRealTime() counts both",
        what.basis, 100 * what.share);
  }
  std::string operator()(const Namesakes& what) const {
    return fmt::format(
        "{} holds {} rows of this name: benchmarks of one name, or runs merged into one file; a "
        "run "
        "belongs in a file of its own",
        what.side, what.rows);
  }
  std::string operator()(const OverNodes& what) const {
    return fmt::format("{} nodes", what.nodes);
  }
};

}  // namespace

std::string to_string(const Reason& reason) { return std::visit(Words(), reason); }

std::string to_string(const Remark& remark) { return std::visit(Words(), remark); }

std::vector<std::string> texts(const std::vector<Remark>& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(to_string(remark));
  return lines;
}

std::string to_string(const OtherDeviceWork& work) {
  std::string text;
  for (const auto& figure : work.figures)
    text += fmt::format("{}{:.0f} {}, {:.0f} before", text.empty() ? "" : "; ", figure.now,
                        figure.words, figure.before);
  return text.empty() ? "kernels of other grids, registers or memory" : text;
}

}  // namespace ratchet::gate
