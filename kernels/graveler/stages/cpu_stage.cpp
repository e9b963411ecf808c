// The run of a stage on CPUs: its threads, each with a worker and its share of the battles, and
// what they found together.
#include "kernels/graveler/stages/cpu_stage.h"

#include <algorithm>
#include <thread>
#include <utility>

#ifdef __aarch64__
#include <sys/auxv.h>

#include "kernels/graveler/stages/cpu_workers.h"
#endif

namespace ratchet::graveler {
namespace {

// On a cache line of its own: workers write theirs while neighbours write next door.
struct alignas(64) Tally {
  std::uint64_t battles = 0;
  std::uint32_t max_ones = 0;
};

class CpuSimulation final : public Simulation {
 public:
  CpuSimulation(std::uint64_t battles, std::unique_ptr<Crew> crew,
                std::vector<std::unique_ptr<Worker>> workers)
      : battles_(battles),
        crew_(std::move(crew)),
        workers_(std::move(workers)),
        tallies_(workers_.size()) {}

  void run() override {
    std::fill(tallies_.begin(), tallies_.end(), Tally{});
    crew_->spread(battles_, [this](std::uint32_t worker, std::uint64_t battles) {
      Tally& tally = tallies_[worker];
      tally.max_ones = std::max(tally.max_ones, workers_[worker]->max_ones(battles));
      tally.battles += battles;
    });
  }

  std::uint64_t units() const override { return battles_; }

  Result collect() override {
    Result result;
    for (const Tally& tally : tallies_) {
      result.battles += tally.battles;
      result.max_ones = std::max(result.max_ones, tally.max_ones);
    }
    return result;
  }

 private:
  std::uint64_t battles_;
  std::unique_ptr<Crew> crew_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Tally> tallies_;
};

}  // namespace

std::vector<std::unique_ptr<Worker>> CpuStage::workers(const Parameters& parameters,
                                                       std::uint32_t count) const {
  std::vector<std::unique_ptr<Worker>> all;
  for (std::uint32_t index = 0; index < count; ++index)
    all.push_back(make_worker_(parameters.at("seed"), index));
  return all;
}

std::unique_ptr<Simulation> CpuStage::prepare_simulation(const Parameters& parameters) const {
  auto players = crew(parameters);
  auto players_workers = workers(parameters, players->workers());
  return std::make_unique<CpuSimulation>(parameters.at("battles"), std::move(players),
                                         std::move(players_workers));
}

Histogram CpuStage::histogram(const Parameters& parameters) const {
  const auto players = crew(parameters);
  const auto all = workers(parameters, players->workers());
  std::vector<Histogram> bins(all.size(), Histogram{});
  players->spread(parameters.at("battles"), [&](std::uint32_t worker, std::uint64_t battles) {
    all[worker]->add_to(bins[worker], battles);
  });
  Histogram sum{};
  for (const Histogram& part : bins)
    for (std::size_t ones = 0; ones < sum.size(); ++ones) sum[ones] += part[ones];
  return sum;
}

Trace CpuStage::trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
                      std::uint32_t rounds) const {
  Trace trace;
  trace.groups = std::min(max_groups, crew(parameters)->workers());
  trace.rounds = rounds;
  trace.battles_per_round = layout_.battles;
  const std::size_t entries = std::size_t{trace.groups} * rounds * layout_.battles;
  trace.ones.resize(entries);
  trace.outcome.resize(entries * trace.words_per_battle);
  const auto all = workers(parameters, trace.groups);
  for (std::uint32_t group = 0; group < trace.groups; ++group)
    all[group]->trace(trace, group, stream, parameters.at("seed"));
  return trace;
}

Availability CpuStage::availability() const {
#ifdef __aarch64__
  // Highway's dispatch does not ask: NEON stands for both.
  if (make_worker_ == &make_aes_weyl_worker && !(getauxval(AT_HWCAP) & HWCAP_AES))
    return Availability::no("this processor has no AES instructions");
#endif
  return GravelerStage::availability();
}

Availability TunedCpuStage::availability() const {
#ifndef __x86_64__
  return Availability::no("this stage is compiled for x86-64-v3, and this processor is another");
#else
  __builtin_cpu_init();
  // The parts of x86-64-v3 that processors differ in; the rest came earlier.
  if (!__builtin_cpu_supports("avx2")) return Availability::no("this processor has no AVX2");
  if (!__builtin_cpu_supports("bmi2")) return Availability::no("this processor has no BMI2");
  if (!__builtin_cpu_supports("fma")) return Availability::no("this processor has no FMA");
  return CpuStage::availability();
#endif
}

Layout one_word_per_roll_layout() {
  Layout layout;
  layout.words = kTurns;
  layout.hit = 0;
  layout.site = [](std::uint32_t, std::uint32_t turn) {
    return Site{.lane = 0, .word_a = turn, .bit_a = 1, .word_b = turn, .bit_b = 0};
  };
  return layout;
}

std::vector<ParameterPoint> thread_sweep() { return grid({{"threads", {1, 2, 4, 6, 8, 10, 12}}}); }

}  // namespace ratchet::graveler
