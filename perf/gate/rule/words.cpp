// The words for what the rules found. Nothing here decides.
#include <fmt/format.h>

#include <cmath>

#include "kernels/contract/counted.h"
#include "perf/gate/baseline/metric.h"
#include "perf/gate/baseline/units.h"
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
  std::string operator()(const FewPairs& why) const {
    const std::string pairs = why.pairs == 1 ? "1 pair is" : fmt::format("{} pairs are", why.pairs);
    if (why.side != 0)
      return fmt::format("{} too few to call it {}{}", pairs, why.side < 0 ? "slower" : "faster",
                         why.least > 0 ? fmt::format(", at least {} are needed", why.least) : "");
    return fmt::format("{} too few for an interval, at least {} are needed", pairs, why.least);
  }
  std::string operator()(const SmallBaseline& why) const {
    return fmt::format("the baseline has only {} launch{}, too few to compare with; accept more",
                       why.launches, why.launches == 1 ? "" : "es");
  }
  std::string operator()(const FewLaunches& why) const {
    return fmt::format(
        "{} too few, at least {} are needed",
        why.launches == 1 ? "1 launch is" : fmt::format("{} launches are", why.launches),
        why.least);
  }
  std::string operator()(const OneLaunch&) const {
    return "one launch cannot be compared with itself";
  }
  std::string operator()(const ApartAsClockRan& why) const {
    return fmt::format("{} at equal clocks, but {:+.2f} % at the clocks as they were",
                       to_string(why.at_equal_clocks), why.change * 100);
  }
  std::string operator()(const ApartFromReference& why) const {
    return fmt::format(
        "{} as measured, but {} relative to the control workload, whose speed changed by {:+.1f} "
        "%: the machine changed, not only the code",
        to_string(why.measured), to_string(why.normalised), (why.machine_ratio - 1) * 100);
  }
  std::string operator()(const BetweenOccasions& why) const {
    std::string apart = "one stored occasion cannot separate the code from the day";
    if (why.shift)
      apart = fmt::format("{} {} lie {:.1f} % apart", why.shift->seen,
                          why.shift->of_rows ? "rows of identical work" : "stored occasions",
                          100 * std::expm1(why.shift->deviation));
    if (why.shift && why.shift->of_rows)
      apart += fmt::format(", and moved by {:+.1f} %", 100 * (std::exp(why.shift->centre) - 1));
    return fmt::format("{} by its launches, but {}", to_string(why.by_launches), apart);
  }
  std::string operator()(const OthersHeldCpu& why) const {
    return fmt::format("other processes used the CPU in {} of {}; `ratchet doctor` names them",
                       why.contended, counted(why.of, "launches"));
  }
  std::string operator()(const OnlyByTime& why) const {
    return fmt::format(
        "{} by time, but identical machine code: noise, or a change of launch parameters",
        to_string(why.by_time));
  }
  std::string operator()(const OtherBasis& why) const {
    return fmt::format("throughput is {}, before {}",
                       why.now.empty() ? "units_per_second" : why.now,
                       why.before.empty() ? "units_per_second" : why.before);
  }
  std::string operator()(const OtherUnits& why) const {
    return fmt::format("the work of one call is {:.6g}, before {:.6g}", why.now, why.before);
  }
  std::string operator()(const OtherInterleaving& why) const {
    return fmt::format("a launch {} samples interleaved with another process, before {}",
                       why.now ? "took its" : "took no", why.now ? "not" : "it did");
  }
  std::string operator()(const OtherQuantile& why) const {
    return fmt::format(
        "a launch is summarised by its {:.3g}-quantile, before by its {:.3g}-quantile", why.now,
        why.before);
  }
  std::string operator()(const OtherCache& why) const {
    return fmt::format("samples begin with a {} L2 cache, before with a {} one",
                       why.now ? "cold" : "warm", why.now ? "warm" : "cold");
  }
  std::string operator()(const LeastMemory&) const {
    return fmt::format("less than {:g} MB is not seen: both sides take at most that",
                       least_memory_mb);
  }
  std::string operator()(const MeasuresNothing& what) const {
    if (what.a_call)
      return fmt::format("measures nothing: {:.2g} ns per call is the time of an empty loop",
                         what.ns);
    return fmt::format("measures nothing: {:.3g} ns in total is below the clock's resolution",
                       what.ns);
  }
  std::string operator()(const NoBaseline& why) const {
    if (!why.against_itself) return "no baseline of this machine";
    return "no baseline of this machine; this build against itself: " +
           to_string(*why.against_itself);
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
  std::string operator()(const NotMeasured&) const {
    return "not measured before the run was interrupted";
  }
  std::string operator()(const OnlyInBase&) const {
    return "in the base, not in this build; --filter -NAME leaves out what was removed on purpose";
  }
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
      return fmt::format("{} of {} compared it, at least {} are needed", why.judged,
                         counted(why.asked, "nodes"), stats::kLeastNodes);
    return fmt::format("{} of {} compared it, more than half are needed", why.judged,
                       counted(why.asked, "nodes"));
  }
  std::string operator()(const FewNodesAgree& why) const {
    return fmt::format(
        "{} over all nodes, but only {} of {} nodes are so against their stored figures",
        to_string(why.over_nodes), why.agree, why.of);
  }
  std::string operator()(const SameMachineCode&) const { return "identical machine code"; }
  std::string operator()(const JudgedByTime&) const {
    return "identical work, judged by time: a difference is layout or noise, not the code";
  }
  std::string operator()(const NotFollowed&) const {
    return "its code was not compared, which takes programs in their build folders: unchanged "
           "code, too, runs at another speed at another place in memory";
  }
  std::string operator()(const HeldByOthers&) const { return "other processes used the CPU"; }
  std::string operator()(const Exact&) const { return "exact: the same value in every launch"; }
  std::string operator()(const ByCpuTime& what) const {
    return fmt::format(
        "by the CPU time of all threads; by wall time the change is {:+.1f} to {:+.1f} %",
        100 * what.low, 100 * what.high);
  }
  std::string operator()(const MeasuredAgainst& what) const { return "against " + what.commit; }
  std::string operator()(const Layout& what) const {
    return fmt::format(
        "layout: the same code ran {:.1f} % {} than before, and other rows did not: it lies at "
        "another place in memory, or another process ran during its {}",
        100 * std::abs(what.beyond), what.beyond < 0 ? "slower" : "faster",
        counted(what.launches, "launches"));
  }
  std::string operator()(const ByLayouts& what) const {
    const std::string as_built =
        fmt::format("{:.1f} % {} as built", 100 * std::abs(what.change),
                    to_string(what.change < 0 ? Verdict::slower : Verdict::faster));
    const std::string layouts =
        fmt::format("{} of each program, linked with code and data at other addresses",
                    counted(what.layouts, "layouts"));
    if (!what.decide) return fmt::format("not confirmed in other layouts: {} are too few", layouts);
    if (what.in_layouts == what.as_built)
      return fmt::format("confirmed in {}; {}", layouts, as_built);
    return fmt::format("layout: {}, {} in {}", as_built, to_string(what.in_layouts), layouts);
  }
  std::string operator()(const Bimodal& what) const {
    const auto mode = [&](double rate, std::size_t launches) {
      return fmt::format("{} in {}", rate_text(rate, what.unit), counted(launches, "launches"));
    };
    return fmt::format("two modes{}: {}, {}", what.before ? " before" : "",
                       mode(what.rates.low, what.rates.of_low),
                       mode(what.rates.high, what.rates.of_high));
  }
  std::string operator()(const LaunchGaps& what) const {
    return fmt::format(
        "not in its time: between its kernels the GPU waits {} a call, {:.2g} % of "
        "the span{}",
        time_text(what.seconds), 100 * what.share,
        what.before_share ? fmt::format(", {:.2g} % before", 100 * *what.before_share) : "");
  }
  std::string operator()(const Waits& what) const {
    if (what.certain)
      return fmt::format("judged by wall time, because it waits: CPU time is {:.2g} % of it",
                         100 * what.share);
    return fmt::format(
        "judged by CPU time, which is {:.2g} % of wall time at most: other processes used its CPU, "
        "or it waits (then use --clock wall)",
        100 * what.share);
  }
  std::string operator()(const OtherClock& what) const {
    if (what.before.empty()) return "the baseline does not say by which clock it was taken";
    return fmt::format("the baseline was accepted by {} time, both sides are judged by {} time",
                       what.before, what.now);
  }
  std::string operator()(const Namesakes& what) const {
    return fmt::format(
        "{} holds {} rows of this name: give each benchmark a name, and each run a file", what.side,
        what.rows);
  }
  std::string operator()(const OverNodes& what) const {
    return counted(what.nodes, "nodes") +
           (what.slower == 0 ? "" : fmt::format(", slower on {} of them", what.slower));
  }
  std::string operator()(const AcceptedBy& what) const {
    const std::string commit = what.commit.substr(0, 12);
    if (what.removed) return fmt::format("commit {} accepts that it is gone: {}", commit, what.why);
    if (what.share == 0)
      return fmt::format("commit {} accepts that it does other work: {}", commit, what.why);
    if (!what.holds)
      return fmt::format("commit {} accepts {:g} %, and this is more", commit, -100 * what.share);
    return fmt::format("commit {} accepts it, up to {:g} %: {}", commit, -100 * what.share,
                       what.why);
  }
  std::string operator()(const AtLimit& what) const {
    std::string limit = fmt::format("{}limit {}", what.stored ? "stored " : "", what.limit);
    for (const std::string& each : what.in_place_of)
      limit += fmt::format(" (not the stored {})", each);
    if (!what.other_unit.empty())
      return fmt::format("{} undecided: the row is in {}", limit, what.other_unit);
    if (what.launches == 0) return limit + " undecided: not measured";
    const std::string figure =
        fmt::format("{:.4g}{}{}", what.figure, what.unit.empty() ? "" : " ", what.unit);
    if (!what.bounds)
      return fmt::format("{} undecided: {} by {}, too few for an interval", limit, figure,
                         counted(what.launches, "launches"));
    return fmt::format("{} {}: {} ({:.4g} ... {:.4g})", limit, to_string(what.state), figure,
                       what.bounds->low, what.bounds->high);
  }
};

}  // namespace

std::string to_string(AtLimit::State state) {
  return state == AtLimit::State::kept       ? "kept"
         : state == AtLimit::State::exceeded ? "exceeded"
                                             : "undecided";
}

std::string to_string(const Reason& reason) { return std::visit(Words(), reason); }

std::string to_string(const Remark& remark) { return std::visit(Words(), remark); }

std::vector<std::string> texts(const std::vector<Remark>& remarks) {
  std::vector<std::string> lines;
  for (const Remark& remark : remarks) lines.push_back(to_string(remark));
  return lines;
}

std::size_t nodes_that_call_slower(const std::vector<Remark>& remarks) {
  for (const Remark& remark : remarks)
    if (const auto* over = std::get_if<OverNodes>(&remark)) return over->slower;
  return 0;
}

std::string to_string(const OtherDeviceWork& work) {
  std::string text;
  for (const auto& figure : work.figures)
    text += fmt::format("{}{:.0f} {}, {:.0f} before", text.empty() ? "" : "; ", figure.now,
                        figure.words, figure.before);
  return text.empty() ? "other grids, registers or memory of kernels" : text;
}

}  // namespace ratchet::gate
