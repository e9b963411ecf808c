// What a stage of the backend `mpi` adds to the contract: its work, cut into parts, one a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kernels/contract/stage.h"
#include "kernels/support/ranks/communicator.h"

namespace ratchet::ranks {

/// Which of how many ranks a part is for.
struct Place {
  std::uint32_t rank = 0, size = 1;
  std::uint32_t local_rank = 0;  ///< among the ranks of its host
  /// Every rank has a GPU of its own, which is the current device of its process. Never set for
  /// stages that do not take GPUs.
  bool gpu = false;
};

/// What rank 0 sends along for the parts to start from, besides the parameters; may be empty.
using Start = std::span<const std::byte>;

/// One rank's part of a prepared stage, owning its buffers.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  /// The timed act, called on all ranks at once after a common barrier: the rank's share of the
  /// work, and what it takes to make one result of all shares. Returns when this rank is done.
  virtual void run(Communicator& ranks) = 0;
  /// As Instance::reset(). Talks to nobody.
  virtual void reset() {}
  /// Brings to rank 0 what the last run left on the other ranks, for a result that is too large to
  /// be a part of every run. Not timed; called on all ranks at once.
  virtual void gather(Communicator& ranks) { (void)ranks; }
};

/// What the ranks of a run say to each other, for a model of more of them than can be measured
/// (perf/study/report/figures/gpu_scaling.h).
struct Traffic {
  enum class Pattern {
    reduce,     ///< an array of every rank becomes one that all have
    gather,     ///< every rank's array goes to rank 0, one after the other
    neighbours  ///< an array goes to either neighbour
  };
  Pattern pattern = Pattern::reduce;
  double times = 1;          ///< exchanges a run, one after the other
  double bytes = 0;          ///< of the array
  bool hidden = false;       ///< behind computation, as long as that takes
  std::uint64_t pieces = 0;  ///< that are dealt whole to the ranks; 0: they need not be whole
};

/// A stage that a job of several processes runs. The stage's class derives from it besides its
/// family's, and makes its instances of a RankedRun (ranked_run.h).
class RankedStage {
 public:
  virtual ~RankedStage() = default;
  /// Allocates, seeds, uploads; talks to nobody. Called on every rank, with what is equal on all of
  /// them but `place`. Throws `Error` when the machine cannot, or for too many ranks.
  virtual std::unique_ptr<Part> make_part(const Parameters& parameters, const Place& place,
                                          Start start) const = 0;
  /// Whether its parts work on GPUs. Where no rank has one the same stage runs on CPUs, for its
  /// tests; where some have and some have not, its parts are not made.
  virtual bool takes_gpus() const { return false; }
  /// Nothing where no model has been made.
  virtual std::optional<Traffic> traffic(const Parameters& parameters) const {
    (void)parameters;
    return std::nullopt;
  }
};

/// "ranks", 1 to 4096, by default those of the job that this process was started in: 1 without
/// mpirun. Every stage of the backend `mpi` declares it.
Parameter ranks_parameter();

/// `info`, which a family's stage_info() has filled in, with what all ranked stages state alike:
/// the backend, the parameter, and rows of 1, 2 and 4 ranks.
StageInfo ranked_info(StageInfo info);

/// RankedStage::takes_gpus() of a stage; false for one of one process.
bool takes_gpus(const Stage& stage);

/// Points of a survey at which each of 1, 2, 4 and 8 ranks has as much to do as one rank with
/// `each` of parameter `size`.
std::vector<ParameterPoint> weak_scaling(const std::string& size, std::uint64_t each);

/// Ranks that a run works on: what the parameter says, or 1 without one.
std::uint64_t ranks_of(const Parameters& parameters);

/// Whether rows of so many ranks can run in this process; the reason says how to start it.
Availability enough_ranks(std::uint64_t ranks);

/// Whether so many ranks would have a GPU each, for a process that may start them on this machine. A
/// rank of a job sees its own GPU alone, and says yes: its job may have many hosts.
Availability enough_gpus(std::uint64_t ranks);

/// Whether this build and machine can run stages of the backend `mpi`.
Availability mpi_availability();
/// The same of a stage that takes GPUs, which is measured on GPUs alone: its availability().
Availability mpi_gpu_availability();

}  // namespace ratchet::ranks
