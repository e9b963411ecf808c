// graveler/mpi/02_gpus
// Changed:  cuda/06 on several GPUs, a rank each: the battles are dealt to shards, each a run of 06
//           under a seed of its own, and every rank plays its shards. One number a rank goes over
//           the wire, the highest of its battles.
// Why:      the shards are fixed, so that any number of GPUs, one included, plays the very same
//           battles and finds the same maximum. 8 bytes are not worth NCCL: through MPI they take
//           microseconds, and NCCL's kernel alone takes more than that to start.
// Expected: as many times one GPU as there are ranks: a shard's launch and the copy of its maxima
//           are 10 us of 0.9 ms, and the message 10 us of 14 ms.
//           In fact two GPUs lower their clocks apart, and the slower one counts.
// Source:   ratchet.

#include <algorithm>

#include "kernels/graveler/graveler.h"
#include "kernels/support/cuda_device.h"
#include "kernels/support/ranks/ranked_run.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/contract/stage_part.h"

namespace ratchet::graveler {
namespace {

/// What plays a shard: 06 on a GPU; where there is none the fastest of one CPU.
const GravelerStage& player(bool gpu) {
  return dynamic_cast<const GravelerStage&>(gpu ? *find_part<"graveler/cuda/06_tensor_count">()
                                                : *find_part<"graveler/cpu/12_aes_weyl">());
}

std::uint64_t shards_of(const Parameters& parameters) { return parameters.at("shards"); }

/// The shards with a battle at least: the shares of later ones are no larger.
std::uint64_t shards_in_use(const Parameters& parameters) {
  return std::min(shards_of(parameters), parameters.at("battles"));
}

Parameters of_shard(const GravelerStage& stage, const Parameters& parameters, std::uint64_t shard) {
  const auto first = [&](std::uint64_t of) {
    return ranks::share_begin(parameters.at("battles"),
                              static_cast<std::uint32_t>(shards_of(parameters)),
                              static_cast<std::uint32_t>(of));
  };
  return stage.defaults()
      .set("battles", first(shard + 1) - first(shard))
      .set("seed", run_seed(parameters.at("seed"), shard));
}

class ShardsPart final : public ranks::Part {
 public:
  ShardsPart(const Parameters& parameters, const ranks::Place& place) {
    const GravelerStage& stage = player(place.gpu);
    const std::uint64_t shards = shards_in_use(parameters);
    for (std::uint64_t shard = ranks::share_begin(shards, place.size, place.rank);
         shard < ranks::share_begin(shards, place.size, place.rank + 1); ++shard)
      shards_.push_back(stage.prepare_simulation(of_shard(stage, parameters, shard)));
  }

  void run(ranks::Communicator& ranks) override {
    for (const auto& shard : shards_) shard->run();
    std::uint64_t battles = 0, most = 0;
    for (const auto& shard : shards_) {
      const Result result = shard->collect();
      most = std::max<std::uint64_t>(most, result.max_ones);
      battles += result.battles;
    }
    ranks.all_reduce(&most, 1, ranks::Fold::max);
    ranks.all_reduce(&battles, 1, ranks::Fold::sum);
    result_ = {battles, static_cast<std::uint32_t>(most)};
  }

  Result result() const { return result_; }

 private:
  std::vector<std::unique_ptr<Simulation>> shards_;
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

class GpusStage final : public GravelerStage, public ranks::RankedStage {
 public:
  using GravelerStage::GravelerStage;
  Availability availability() const override { return ranks::mpi_gpu_availability(); }
  bool takes_gpus() const override { return true; }
  std::optional<ranks::Traffic> traffic(const Parameters& parameters) const override {
    return ranks::Traffic{.times = 2, .bytes = 8, .pieces = shards_in_use(parameters)};
  }
  std::unique_ptr<Simulation> prepare_simulation(const Parameters& parameters) const override {
    return std::make_unique<ShardsSimulation>(*this, parameters);
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return std::make_unique<ShardsPart>(parameters, place);
  }

  // The probes see what all ranks together play, shard by shard.
  Histogram histogram(const Parameters& parameters) const override {
    Histogram sum{};
    for (std::uint64_t shard = 0; shard < shards_in_use(parameters); ++shard) {
      const Histogram one = played_by().histogram(of_shard(played_by(), parameters, shard));
      for (std::size_t ones = 0; ones < sum.size(); ++ones) sum[ones] += one[ones];
    }
    return sum;
  }
  Trace trace(const Parameters& parameters, Stream stream, std::uint32_t max_groups,
              std::uint32_t rounds) const override {
    Parameters theirs = of_shard(played_by(), parameters, 0);
    if (stream == Stream::counter) theirs.set("seed", parameters.at("seed"));
    return played_by().trace(theirs, stream, max_groups, rounds);
  }
  Layout layout() const override { return played_by().layout(); }

 private:
  static const GravelerStage& played_by() { return player(cuda_availability().ok); }
};

const Registration registered{std::make_unique<GpusStage>(ranks::ranked_info(
    stage_info({.name = RATCHET_STAGE,
                .summary = "06_tensor_count on several GPUs, the same battles on any number",
                .source = "ratchet",
                .parameters = common_parameters(
                    10 * kBillion,
                    {{"shards", 16, 1, 65536, "pieces with a stream each, dealt to the ranks"}}),
                .survey = ranks::weak_scaling("battles", 10 * kBillion)})))};

}  // namespace
}  // namespace ratchet::graveler
