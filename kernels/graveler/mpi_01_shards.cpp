// graveler/mpi/01_shards
// Changed:  12 on several processes: the battles are dealt to 5040 workers, each with a stream of
//           its own, and every rank plays the workers of its share. One number a rank goes over the
//           wire, the highest of its battles.
// Why:      processes may lie on different machines. The streams belong to the workers, whose
//           number does not change with that of the ranks, so that any number of them plays the
//           very same battles and finds the same maximum; 5040 is divided by 1 to 10 and by 12.
// Expected: as many times 12 as there are ranks, each on a CPU of its own: a run talks once.
// Source:   ratchet.

#include <algorithm>

#include "kernels/graveler/stages/cpu_workers.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::graveler {
namespace {

constexpr std::uint32_t kWorkers = 5040;

class ShardsPart final : public ranks::Part {
 public:
  ShardsPart(const Parameters& parameters, const ranks::Place& place)
      : battles_(parameters.at("battles")),
        begin_(first_of(place.size, place.rank)),
        end_(first_of(place.size, place.rank + 1)) {
    for (std::uint32_t worker = begin_; worker < end_; ++worker)
      workers_.push_back(make_aes_weyl_worker(parameters.at("seed"), worker));
  }

  void run(ranks::Communicator& ranks) override {
    std::uint64_t battles = 0, most = 0;
    for (std::uint32_t worker = begin_; worker < end_; ++worker) {
      const std::uint64_t share = even_share(battles_, kWorkers, worker);
      if (share == 0) break;  // the shares of later workers are no larger
      most = std::max<std::uint64_t>(most, workers_[worker - begin_]->max_ones(share));
      battles += share;
    }
    ranks.all_reduce(&most, 1, ranks::Fold::max);
    ranks.all_reduce(&battles, 1, ranks::Fold::sum);
    result_ = {battles, static_cast<std::uint32_t>(most)};
  }

  Result result() const { return result_; }

 private:
  static std::uint32_t first_of(std::uint32_t size, std::uint32_t rank) {
    return static_cast<std::uint32_t>(ranks::share_begin(kWorkers, size, rank));
  }

  std::uint64_t battles_;
  std::uint32_t begin_, end_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Result result_;
};

class ShardsSimulation final : public ranks::RankedInstance<Simulation> {
 public:
  ShardsSimulation(const Stage& stage, const Parameters& parameters)
      : RankedInstance(stage, parameters), battles_(parameters.at("battles")) {}
  std::uint64_t units() const override { return battles_; }
  Result collect() override { return static_cast<ShardsPart&>(ranked().mine()).result(); }

 private:
  std::uint64_t battles_;
};

/// All workers one after the other: what the probes see is what all ranks together play.
class OneByOne final : public Crew {
 public:
  std::uint32_t workers() const override { return kWorkers; }
  void spread(std::uint64_t battles, const Play& play) override {
    for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
      play(worker, even_share(battles, kWorkers, worker));
  }
};

class ShardsStage final : public CpuStage, public ranks::RankedStage {
 public:
  using CpuStage::CpuStage;
  std::unique_ptr<Crew> crew(const Parameters&) const override {
    return std::make_unique<OneByOne>();
  }
  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    return std::make_unique<ShardsSimulation>(*this, parameters);
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return std::make_unique<ShardsPart>(parameters, place);
  }
};

const Registration registered{std::make_unique<ShardsStage>(
    ranks::ranked_info(
        stage_info({.name = RATCHET_STAGE,
                    .summary = "12_aes_weyl on several processes, the same battles on any number",
                    .source = "ratchet",
                    .parameters = common_parameters(200'000'000)})),
    aes_weyl_layout(), &make_aes_weyl_worker)};

}  // namespace
}  // namespace ratchet::graveler
