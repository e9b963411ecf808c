#include "perf/gate/programs/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

constexpr char start_of_loop[] = "benchmark::State::StartKeepRunning(";
constexpr char end_of_loop[] = "benchmark::State::FinishKeepRunning(";
/// Of ratchet's timers (perf/measure/timers/timer.h), which run a row's work.
constexpr char timed_run[] = "Timer::time_run";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

bool on_stack(const Stack& stack, std::string_view part) {
  return std::any_of(stack.begin(), stack.end(),
                     [&](const std::string& function) { return has(function, part); });
}

/// Of Google Benchmark. perf names a library without symbols by its file. The function of a lambda
/// may be inlined into its wrapper.
bool is_harness(const std::string& function) {
  return (function.starts_with("benchmark::") &&
          !function.starts_with("benchmark::internal::LambdaBenchmark<")) ||
         function.starts_with("[libbenchmark");
}

/// Before any benchmark, or after them: the main thread outside of Google Benchmark.
bool from_main(const Stack& stack) {
  return std::any_of(stack.begin(), stack.end(), [](const std::string& function) {
    return function == "main" || function == "_start" || function == "(below main)" ||
           function.starts_with("_dl_");
  });
}

void add(Recorded& recorded, Stack stack, const StackCost& cost) {
  if (stack.empty()) return;
  StackCost& sum = recorded[std::move(stack)];
  sum.cost += cost.cost;
  sum.count += cost.count;
}

/// The benchmark's function, by the callers of the loop's start.
std::string caller_of_loop(const Recorded& recorded) {
  for (const auto& [stack, cost] : recorded) {
    const auto start = std::find_if(stack.begin(), stack.end(), [](const std::string& function) {
      return has(function, start_of_loop);
    });
    if (start == stack.end()) continue;
    const auto caller =
        std::find_if_not(std::make_reverse_iterator(start), stack.rend(), is_harness);
    if (caller != stack.rend()) return *caller;
  }
  return "";
}

/// The benchmark's function, by what Google Benchmark calls: a process measures one row, which
/// takes longer than any report.
std::string heaviest_below_harness(const Recorded& recorded) {
  std::map<std::string, double> costs;
  for (const auto& [stack, cost] : recorded) {
    const auto harness = std::find_if(stack.begin(), stack.end(), is_harness);
    const auto called = std::find_if_not(harness, stack.end(), is_harness);
    if (called != stack.end()) costs[*called] += cost.cost;
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto heaviest = std::max_element(costs.begin(), costs.end(), less);
  return heaviest == costs.end() ? "" : heaviest->first;
}

Recorded below_timer(const Recorded& recorded) {
  Recorded loop;
  const auto is_timer = [](const std::string& function) { return has(function, timed_run); };
  for (const auto& [stack, cost] : recorded) {
    const auto timer = std::find_if(stack.begin(), stack.end(), is_timer);
    if (timer != stack.end())
      add(loop, {timer + 1, stack.end()}, cost);
    else if (!from_main(stack))
      add(loop, stack, cost);
  }
  return loop;
}

Recorded below_function(const Recorded& recorded, const std::string& root) {
  Recorded loop;
  for (const auto& [stack, cost] : recorded) {
    if (on_stack(stack, start_of_loop) || on_stack(stack, end_of_loop)) continue;
    const auto found = std::find(stack.begin(), stack.end(), root);
    if (found != stack.end())
      add(loop, {found, stack.end()}, cost);
    else if (!from_main(stack))
      add(loop, stack, cost);
  }
  return loop;
}

std::map<std::string, StackCost> by_function(const Profile& profile) {
  std::map<std::string, StackCost> sums;
  for (const auto& [stack, cost] : profile.stacks) {
    for (const std::string& function : stack) sums[function];
    sums[stack.back()].cost += cost.cost;
    sums[stack.back()].count += cost.count;
    sums[stack.back()].variance += cost.variance;
  }
  return sums;
}

/// The variance of a sum of so many samples: their number is Poisson's. That of kernels was seen,
/// and a count has none.
double variance(const StackCost& cost, bool sampled) {
  if (!sampled) return cost.variance;
  return cost.count > 0 ? cost.cost * cost.cost / cost.count : 0;
}

}  // namespace

double Profile::total() const {
  double sum = 0;
  for (const auto& [stack, cost] : stacks) sum += cost.cost;
  return sum;
}

Recorded in_the_loop(const Recorded& recorded, const std::string& what) {
  Recorded loop;
  const bool timed = std::any_of(recorded.begin(), recorded.end(),
                                 [](const auto& each) { return on_stack(each.first, timed_run); });
  if (timed) {
    loop = below_timer(recorded);
  } else {
    std::string root = caller_of_loop(recorded);
    if (root.empty()) root = heaviest_below_harness(recorded);
    if (!root.empty()) loop = below_function(recorded, root);
  }
  if (loop.empty())
    throw Error(what +
                ": no function of Google Benchmark is among the callers of what it runs; link the "
                "program without -s, and do not strip it");
  return loop;
}

std::vector<FunctionChange> function_changes(const Profile& before, const Profile& now) {
  const auto costs_before = by_function(before), costs_now = by_function(now);
  std::set<std::string> names;
  for (const auto* costs : {&costs_before, &costs_now})
    for (const auto& [function, cost] : *costs) names.insert(function);
  const bool sampled = before.samples > 0 || now.samples > 0;
  std::vector<FunctionChange> changes;
  for (const std::string& name : names) {
    const auto was = costs_before.find(name), is = costs_now.find(name);
    FunctionChange change;
    change.function = name;
    change.in_before = was != costs_before.end();
    change.in_now = is != costs_now.end();
    const StackCost none;
    const StackCost &a = change.in_before ? was->second : none,
                    &b = change.in_now ? is->second : none;
    change.before = a.cost;
    change.now = b.cost;
    change.error = 2 * std::sqrt(variance(a, sampled) + variance(b, sampled));
    const bool passes_on = change.in_before && change.in_now && a.cost == 0 && b.cost == 0;
    if (!passes_on) changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const auto& a, const auto& b) { return a.change() > b.change(); });
  return changes;
}

std::vector<CallNode> call_tree(const std::string& row, const Profile& before, const Profile& now) {
  constexpr double least_share = 0.001;
  constexpr std::size_t deepest = 60;
  std::map<Stack, std::pair<double, double>> inclusive;  // a parent stands before its children
  const auto add_side = [&](const Profile& profile, double std::pair<double, double>::*side) {
    for (const auto& [stack, cost] : profile.stacks) {
      Stack path;
      inclusive[path].*side += cost.cost;
      for (std::size_t i = 0; i < std::min(stack.size(), deepest); ++i) {
        path.push_back(stack[i]);
        inclusive[path].*side += cost.cost;
      }
    }
  };
  add_side(before, &std::pair<double, double>::first);
  add_side(now, &std::pair<double, double>::second);
  std::vector<CallNode> tree;
  std::map<Stack, std::size_t> places;
  const double least = least_share * std::max(before.total(), now.total());
  for (const auto& [path, costs] : inclusive) {
    if (path.empty()) {
      places[path] = 0;
      tree.push_back({0, row, costs.first, costs.second});
      continue;
    }
    const auto parent = places.find({path.begin(), path.end() - 1});
    if (parent == places.end() || std::max(costs.first, costs.second) < least) continue;
    places[path] = tree.size();
    tree.push_back({parent->second, path.back(), costs.first, costs.second});
  }
  return tree;
}

std::string to_string(Profiler profiler) {
  switch (profiler) {
    case Profiler::perf:
      return "perf";
    case Profiler::callgrind:
      return "callgrind";
    case Profiler::ncu:
      return "ncu";
  }
  return "";
}

std::string unit_of(Profiler profiler) {
  return profiler == Profiler::callgrind ? "instructions" : "ns";
}

namespace {

/// {"name": {"before", "now", "error"}} of a kernel, the error as FunctionChange::error.
nlohmann::json counters_json(const TwoProfiles& profiles, const std::string& kernel) {
  nlohmann::json counters = nlohmann::json::object();
  std::map<std::string, double> variances;
  for (const auto& [side, key] :
       {std::pair(&profiles.before, "before"), std::pair(&profiles.now, "now")})
    if (const auto found = side->counters.find(kernel); found != side->counters.end())
      for (const auto& [name, mean] : found->second) {
        counters[name][key] = tidy_number(mean.value);
        variances[name] += mean.variance;
      }
  for (const auto& [name, variance] : variances)
    if (variance > 0) counters[name]["error"] = tidy_number(2 * std::sqrt(variance));
  return counters;
}

}  // namespace

nlohmann::json to_json(const TwoProfiles& profiles) {
  const auto side = [](const Profile& profile) {
    nlohmann::json text = {{"total", tidy_number(profile.total())}};
    if (profile.calls > 0) text["calls"] = tidy_number(profile.calls);
    if (profile.samples > 0) text["samples"] = tidy_number(profile.samples);
    return text;
  };
  nlohmann::json document = {{"row", printable(profiles.row.text())},
                             {"tool", to_string(profiles.profiler)},
                             {"unit", unit_of(profiles.profiler)},
                             {"time", profiles.time},
                             {"revision", profiles.revision},
                             {"before", side(profiles.before)},
                             {"now", side(profiles.now)},
                             {"functions", nlohmann::json::array()},
                             {"tree", nlohmann::json::array()}};
  document["before"]["commit"] = profiles.before_commit;
  document["before"]["why"] = profiles.why_before;
  if (!profiles.why_profiler.empty()) document["not_perf"] = printable(profiles.why_profiler);
  for (const FunctionChange& each : function_changes(profiles.before, profiles.now)) {
    nlohmann::json function = {{"function", printable(each.function)},
                               {"before", tidy_number(each.before)},
                               {"now", tidy_number(each.now)}};
    if (each.error > 0) function["error"] = tidy_number(each.error);
    if (const auto counters = counters_json(profiles, each.function); !counters.empty())
      function["counters"] = counters;
    if (!each.in_before) function["only"] = "now";
    if (!each.in_now) function["only"] = "before";
    document["functions"].push_back(std::move(function));
  }
  for (const CallNode& node : call_tree(profiles.row.text(), profiles.before, profiles.now))
    document["tree"].push_back({{"parent", node.parent},
                                {"function", printable(node.function)},
                                {"before", tidy_number(node.before)},
                                {"now", tidy_number(node.now)}});
  return document;
}

}  // namespace ratchet::gate
