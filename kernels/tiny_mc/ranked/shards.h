// How photons are shared by ranks: shards, whose number does not change with that of the ranks.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/support/ranks/part.h"
#include "kernels/support/rng/gpu_seed.h"
#include "kernels/tiny_mc/tiny_mc.h"

namespace ratchet::tiny_mc {

/// A rank's part of a run whose tally rank 0 has.
class TransportPart : public ranks::Part {
 public:
  /// Of the last run; on rank 0.
  virtual Tally total() = 0;
};

/// The shards of a run: each has photons and a seed of its own.
class Shards {
 public:
  explicit Shards(const Parameters& parameters)
      : photons_(parameters.at("photons")),
        seed_(parameters.at("seed")),
        size_(static_cast<std::uint32_t>(parameters.at("shards"))) {}

  std::uint32_t size() const { return size_; }
  std::uint64_t photons(std::uint32_t shard) const {
    return ranks::share_begin(photons_, size_, shard + 1) -
           ranks::share_begin(photons_, size_, shard);
  }
  std::uint64_t seed(std::uint32_t shard) const { return run_seed(seed_, shard); }
  /// The first of a rank's; they end where the next rank's begin.
  std::uint32_t first_of(std::uint32_t ranks, std::uint32_t rank) const {
    return static_cast<std::uint32_t>(ranks::share_begin(size_, ranks, rank));
  }

 private:
  std::uint64_t photons_, seed_;
  std::uint32_t size_;
};

/// On a GPU: the shards of a rank add to one table of counters, N[collision][shell], and NCCL adds
/// up those of all ranks. Shard s simulates what cuda/11 does under seed(s), run by run.
std::unique_ptr<TransportPart> make_counts_part(const Parameters& parameters,
                                                const ranks::Place& place);

}  // namespace ratchet::tiny_mc
