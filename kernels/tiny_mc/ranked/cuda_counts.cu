// make_counts_part(): the counters of several GPUs, added up.
#include <span>
#include <vector>

#include "kernels/support/ranks/device_communicator.h"
#include "kernels/support/rng/cross64.h"
#include "kernels/tiny_mc/counted/cuda_counted_stage.cuh"
#include "kernels/tiny_mc/ranked/shards.h"

namespace ratchet::tiny_mc {
namespace {

/// Of a type of its own, so that cuda/11's kernel stays the one of its own file.
struct ShardWalk : RadialWalk {
  using Source = Cross64;
};

/// As cuda/11.
struct Tuning {
  using Walk = ShardWalk;
  static constexpr unsigned kThreads = 1024, kBlocksPerSm = 2, kUnroll = 24;
};

template <unsigned kStride>
class CountsPart final : public TransportPart {
 public:
  CountsPart(const Parameters& parameters, const ranks::Place& place)
      : shards_(parameters),
        begin_(shards_.first_of(place.size, place.rank)),
        end_(shards_.first_of(place.size, place.rank + 1)),
        schedule_(schedule_of(medium_of(parameters))),
        job_(counted_job(parameters, schedule_)),
        rows_(schedule_.collisions_through(schedule_.rounds.size() - 1)),
        counts_(std::size_t{rows_} * job_.shells) {
    job_.counts = counts_.data();
    job_.photons = std::min(shards_.photons(0), kLaunchPhotons);
    launch_ = counting_launch<Tuning, kStride>(job_);
  }

  void run(ranks::Communicator& ranks) override {
    RATCHET_CUDA(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), cudaStreamLegacy));
    for (std::uint32_t shard = begin_; shard < end_; ++shard) launch(shard);
    ++run_;
    ranks::DeviceCommunicator& gpus = ranks.device();
    gpus.all_reduce(reinterpret_cast<std::uint64_t*>(counts_.data()), counts_.size(),
                    ranks::Fold::sum, nullptr);
    gpus.wait(nullptr);
  }

  Tally total() override {
    const std::vector<unsigned long long> counts = counts_.download();
    Tally tally(job_.shells);
    std::vector<std::uint64_t> in_shell(job_.shells);
    auto next = counts.begin();
    for (std::size_t round = 0; round < schedule_.rounds.size(); ++round)
      for (std::uint32_t i = 0; i < schedule_.rounds[round].collisions; ++i) {
        const bool first = next == counts.begin();
        for (std::uint64_t& count : in_shell) count = *next++;
        // Every photon makes the first collision: counted, not assumed.
        for (const std::uint64_t count : in_shell) tally.photons += first ? count : 0;
        tally.add_counts(schedule_.deposit(round, i), std::span<const std::uint64_t>(in_shell));
      }
    return tally;
  }

 private:
  void launch(std::uint32_t shard) {
    const std::uint64_t photons = shards_.photons(shard);
    const std::uint64_t launches = (photons + kLaunchPhotons - 1) / kLaunchPhotons;
    for (std::uint64_t i = 0; i < launches; ++i) {
      CountedJob job = job_;
      job.photons = std::min(kLaunchPhotons, photons - i * kLaunchPhotons);
      job.seed = run_seed(shards_.seed(shard), run_ * launches + i);
      launch_.go(job, {});
    }
  }

  Shards shards_;
  std::uint32_t begin_, end_;
  Schedule schedule_;
  CountedJob job_;
  std::uint64_t run_ = 0;
  std::uint32_t rows_;
  DeviceBuffer<unsigned long long> counts_;
  CountedLaunch<Tuning, CountSink<kStride>> launch_;
};

}  // namespace

std::unique_ptr<TransportPart> make_counts_part(const Parameters& parameters,
                                                const ranks::Place& place) {
  if (parameters.at("shells") <= kFixedStride)
    return std::make_unique<CountsPart<kFixedStride>>(parameters, place);
  return std::make_unique<CountsPart<0>>(parameters, place);
}

}  // namespace ratchet::tiny_mc
