// Pairs that take turns: one after the other, or pairs of several rows at once, on a CPU each.
#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "perf/gate/run/session.h"
#include "perf/support/clock.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

/// One thread is stopped and continued within microseconds; threads are dealt to CPUs anew in each
/// turn, and the first run of it lies furthest off.
constexpr double turn_s = 0.001, threads_turn_s = 0.2;
/// So many, less the first, have a shortest quarter of two (turn_launch.cpp).
constexpr std::size_t threads_samples = 9;
/// A run that is as long as this needs no other before it.
constexpr double warms_itself_s = 0.2;

}  // namespace

Session::TurnsPair Session::turns_pair(const std::string& row, int cpu, std::size_t lane) {
  TurnsPair pair{row, {}, {}, draw_order(), std::mt19937_64(generator_()), lane, 0, {}};
  pair.request.cpus = in_turns_.at(row);
  pair.request.cpu = cpu;
  TurnPlan& plan = pair.plan;
  plan.turn.on_cpu = on_one_cpu(pair.request.cpus);
  plan.turn.seconds = options_.turn_s.value_or(plan.turn.on_cpu ? turn_s : threads_turn_s);
  plan.call_s = call_s(row);
  plan.seconds = options_.sample_s > 0 ? options_.sample_s : turns_sample_s_;
  // Where the budget is too short for all rows, those of one thread are settled sooner by it.
  if (plan.seconds > least_in_turns_s && !plan.turn.on_cpu) plan.samples = threads_samples;
  pair.request.warm_up = plan.call_s < warms_itself_s;
  return pair;
}

/// Touches nothing of the session but the files of its lane.
void Session::measure_turns(TurnsPair& pair) const {
  const double start = seconds_now();
  std::vector<std::unique_ptr<TurnLaunch>> launches(sides_.size());
  for (const std::size_t side : pair.order) {
    LaunchRequest request = pair.request;
    request.verified_file = proofs(side);
    request.scratch = scratch_.path() / fmt::format("launch-{}-{}.json", pair.lane, side);
    launches[side] = sides_[side].program->launch_in_turns(pair.row, request);
  }
  pair.outcome = take_turns(*launches[0], *launches[1], pair.plan, pair.generator);
  pair.seconds = seconds_now() - start;
}

void Session::keep(const TurnsPair& pair) {
  launch_s_[pair.row] = pair.seconds;
  keep({{{pair.row, pair.outcome.before}}, {{pair.row, pair.outcome.now}}}, pair.row);
}

void Session::launch_in_turns(const std::string& row) {
  TurnsPair pair = turns_pair(row, quiet_cpu_.pick(), 0);
  measure_turns(pair);
  worker_s_ += pair.seconds;
  keep(pair);
}

bool Session::goes_beside_others(const std::string& row) const {
  const auto turns = in_turns_.find(row);
  return lanes_ > 1 && turns != in_turns_.end() && turns->second == Cpus::one;
}

void Session::measure_beside(const std::map<std::string, std::size_t>& pairs) {
  if (seconds_left() <= 0) return;
  run_laps({pairs.begin(), pairs.end()});
  ++rounds_done_;
}

/// Whoever is free takes the next row. What lanes share is touched by one at a time, between pairs.
void Session::run_laps(const std::vector<Lap>& laps) {
  const double start = seconds_now();
  const std::size_t lanes = std::min(lanes_, laps.size());
  const std::vector<int> cpus = timing::allowed_cpus();
  std::mutex mutex;
  std::size_t next = 0;
  const auto run_lane = [&](std::size_t lane) {
    std::unique_lock lock(mutex);
    while (next < laps.size()) {
      const auto& [row, pairs] = laps[next++];
      show(row);
      for (std::size_t made = 0; made < pairs && !failures_.count(row); ++made) {
        if (made > 0 && seconds_left() <= 0) break;
        const int cpu = lanes == 1 ? quiet_cpu_.pick() : cpus[lane % cpus.size()];
        TurnsPair pair = turns_pair(row, cpu, lane);
        lock.unlock();
        measure_turns(pair);
        lock.lock();
        keep(pair);
      }
    }
  };
  std::vector<std::future<void>> running;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    running.push_back(std::async(std::launch::async, run_lane, lane));
  for (auto& each : running) each.get();
  worker_s_ += seconds_now() - start;
}

}  // namespace ratchet::gate
