// tiny_mc/mpi/02_radial_gpus
// Changed:  cuda/11 on several GPUs, a rank each: the photons are dealt to shards, each with a seed
//           of its own, and every rank simulates its shards into one table of counters. NCCL adds
//           up the tables.
// Why:      the shards are fixed and the sums are of integers, so that any number of GPUs, one
//           included, leaves the very same counters.
// Expected: as many times one GPU as there are ranks: a shard's launch costs its last photons'
// walk,
//           20 us of 33 ms, and 0.7 MB of counters 30 us of a run of 530 ms.
// Source:   ratchet.

#include <algorithm>
#include <vector>

#include "kernels/support/cuda_device.h"
#include "kernels/support/ranks/ranked_run.h"
#include "kernels/contract/stage_part.h"
#include "kernels/tiny_mc/ranked/shards.h"

namespace ratchet::tiny_mc {
namespace {

/// The stage of one process that simulates a shard as the ranks do: 11, or where there is no GPU
/// the one of one CPU.
const PhotonStage& player(bool gpu) {
  return dynamic_cast<const PhotonStage&>(gpu ? *find_part<"tiny_mc/cuda/11_radial_cross64">()
                                              : *find_part<"tiny_mc/cpu/05_radial">());
}

Parameters of_shard(const PhotonStage& stage, const Parameters& parameters, std::uint32_t shard) {
  const Shards shards(parameters);
  Parameters theirs = stage.defaults();
  for (const char* name : {"absorption", "scattering", "shells", "shell_um"})
    theirs.set(name, parameters.at(name));
  return theirs.set("photons", shards.photons(shard)).set("seed", shards.seed(shard));
}

/// On a CPU: rank 0 adds the shards' tallies in the order of their index, since sums of doubles
/// depend on it.
class TalliesPart final : public TransportPart {
 public:
  TalliesPart(const Parameters& parameters, const ranks::Place& place)
      : shards_(parameters),
        place_(place),
        shells_(static_cast<std::uint32_t>(parameters.at("shells"))) {
    const PhotonStage& stage = player(false);
    for (std::uint32_t shard = first_of(place.rank); shard < first_of(place.rank + 1); ++shard)
      transports_.push_back(stage.prepare_transport(of_shard(stage, parameters, shard)));
  }

  void run(ranks::Communicator& ranks) override {
    std::uint64_t photons = 0;
    std::vector<double> sums;
    for (const auto& transport : transports_) {
      transport->run();
      const Tally tally = transport->collect();
      photons += tally.photons;
      sums.insert(sums.end(), tally.heat.begin(), tally.heat.end());
      sums.insert(sums.end(), tally.heat2.begin(), tally.heat2.end());
    }
    ranks.all_reduce(&photons, 1, ranks::Fold::sum);
    if (place_.rank > 0) return ranks.send(sums.data(), sums.size() * sizeof(double), 0);
    total_ = Tally(shells_);
    total_.photons = photons;
    add(sums);
    for (std::uint32_t rank = 1; rank < place_.size; ++rank) {
      sums.resize(std::size_t{2} * shells_ * (first_of(rank + 1) - first_of(rank)));
      ranks.receive(sums.data(), sums.size() * sizeof(double), rank);
      add(sums);
    }
  }
  Tally total() override { return total_; }

 private:
  std::uint32_t first_of(std::uint32_t rank) const { return shards_.first_of(place_.size, rank); }
  void add(const std::vector<double>& sums) {
    for (auto from = sums.begin(); from != sums.end();)
      for (std::vector<double>* to : {&total_.heat, &total_.heat2})
        for (double& sum : *to) sum += *from++;
  }

  Shards shards_;
  ranks::Place place_;
  std::uint32_t shells_;
  std::vector<std::unique_ptr<Transport>> transports_;
  Tally total_;
};

class ShardsTransport final : public ranks::RankedInstance<Transport> {
 public:
  ShardsTransport(const Stage& stage, const Parameters& parameters)
      : RankedInstance(stage, parameters), photons_(parameters.at("photons")) {}
  std::uint64_t units() const override { return photons_; }
  Tally collect() override { return static_cast<TransportPart&>(ranked().mine()).total(); }

 private:
  std::uint64_t photons_;
};

class GpusStage final : public PhotonStage, public ranks::RankedStage {
 public:
  using PhotonStage::PhotonStage;
  Availability availability() const override { return ranks::mpi_gpu_availability(); }
  bool takes_gpus() const override { return true; }
  std::optional<ranks::Traffic> traffic(const Parameters& parameters) const override {
    const Schedule schedule = schedule_of(medium_of(parameters));
    const double counters = static_cast<double>(parameters.at("shells")) *
                            schedule.collisions_through(schedule.rounds.size() - 1);
    return ranks::Traffic{.bytes = 8 * counters, .pieces = parameters.at("shards")};
  }
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override {
    return std::make_unique<ShardsTransport>(*this, parameters);
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
#ifdef RATCHET_HAVE_CUDA
    if (place.gpu) return make_counts_part(parameters, place);
#endif
    return std::make_unique<TalliesPart>(parameters, place);
  }

  /// Shard by shard.
  Trace trace(const Parameters& parameters, std::uint32_t capacity) const override {
    Trace all;
    all.capacity = capacity;
    for (std::uint32_t shard = 0; shard < Shards(parameters).size(); ++shard)
      all += played_by().trace(of_shard(played_by(), parameters, shard), capacity);
    return all;
  }
  double rounding(const Parameters& parameters, double deposits) const override {
    return played_by().rounding(of_shard(played_by(), parameters, 0), deposits);
  }

 private:
  static const PhotonStage& played_by() { return player(cuda_availability().ok); }
};

constexpr std::uint64_t kPhotons = std::uint64_t{1} << 33;

const Registration registered{std::make_unique<GpusStage>(
    ranks::ranked_info(stage_info(
        {.name = RATCHET_STAGE,
         .summary = "11_radial_cross64 on several GPUs, the same counters on any number",
         .source = "ratchet",
         .parameters = common_parameters(
             kPhotons, {{"shards", 16, 1, 65536, "pieces with a seed each, dealt to the ranks"}}),
         .survey = ranks::weak_scaling("photons", kPhotons)})),
    Walk::radial)};

}  // namespace
}  // namespace ratchet::tiny_mc
