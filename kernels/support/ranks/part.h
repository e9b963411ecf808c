// The contract of stages of the backend `mpi`: their work is divided into parts, one per rank.
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

/// The rank of a part, and the number of ranks.
struct Place {
  std::uint32_t rank = 0, size = 1;
  std::uint32_t local_rank = 0;  ///< among the ranks of its host
  /// Every rank has its own GPU, the current device of its process. Never set for stages that do
  /// not take GPUs.
  bool gpu = false;
};

/// The start state that rank 0 sends to the parts, besides the parameters; may be empty.
using Start = std::span<const std::byte>;

/// One rank's part of a prepared stage, with its buffers.
class Part {
 public:
  Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  virtual ~Part() = default;

  /// The timed act, called on all ranks after a common barrier: the rank's share of the work, and
  /// the communication that combines the results. Returns when this rank is done.
  virtual void run(Communicator& ranks) = 0;
  /// Like Instance::reset(). Does not communicate.
  virtual void reset() {}
  /// Sends the other ranks' results of the last run to rank 0, for results that are too large to be
  /// sent in every run. Not timed; called on all ranks.
  virtual void gather(Communicator& ranks) { (void)ranks; }
};

/// The communication of a run, for a model of more ranks than can be measured
/// (perf/study/report/figures/gpu_scaling.h).
struct Traffic {
  enum class Pattern {
    reduce,     ///< arrays of all ranks are reduced to one, which all get
    gather,     ///< every rank's array goes to rank 0, sequentially
    neighbours  ///< an array goes to each neighbour
  };
  Pattern pattern = Pattern::reduce;
  double times = 1;          ///< sequential exchanges per run
  double bytes = 0;          ///< of the array
  bool hidden = false;       ///< overlaps with computation
  std::uint64_t pieces = 0;  ///< indivisible pieces of work; 0: the work is divisible
};

/// A stage that runs on several processes. The stage's class derives from it and from its family's
/// class, and its instances use a RankedRun (ranked_run.h).
class RankedStage {
 public:
  virtual ~RankedStage() = default;
  /// Allocates, seeds, uploads; does not communicate. Called on every rank with equal arguments
  /// except `place`. Throws `Error` if the machine cannot, or for too many ranks.
  virtual std::unique_ptr<Part> make_part(const Parameters& parameters, const Place& place,
                                          Start start) const = 0;
  /// Whether its parts work on GPUs. If no rank has a GPU, the stage runs on CPUs, for its tests;
  /// if only some have one, its parts are not made.
  virtual bool takes_gpus() const { return false; }
  /// Nothing without a model.
  virtual std::optional<Traffic> traffic(const Parameters& parameters) const {
    (void)parameters;
    return std::nullopt;
  }
};

/// "ranks", 1 to 4096, by default the number of ranks of this process's job: 1 without mpirun.
/// Every stage of the backend `mpi` declares it.
Parameter ranks_parameter();

/// Adds the common facts of ranked stages to `info`, which a family's stage_info() has filled in:
/// the backend, the parameter, and rows of 1, 2 and 4 ranks.
StageInfo ranked_info(StageInfo info);

/// RankedStage::takes_gpus() of a stage; false for a stage of one process.
bool takes_gpus(const Stage& stage);

/// Survey configurations for weak scaling: each of 1, 2, 4 and 8 ranks has the work of one rank
/// with `size` set to `each`.
std::vector<ParameterPoint> weak_scaling(const std::string& size, std::uint64_t each);

/// The number of ranks of a run: the value of the parameter, or 1 without one.
std::uint64_t ranks_of(const Parameters& parameters);

/// Whether rows of so many ranks can run in this process; the reason states how to start it.
Availability enough_ranks(std::uint64_t ranks);

/// Whether so many ranks would have a GPU each, for a process that may start them on this machine.
/// Always yes on a rank of a job, which sees only its own GPU: its job may have many hosts.
Availability enough_gpus(std::uint64_t ranks);

/// Whether this build and machine can run stages of the backend `mpi`.
Availability mpi_availability();
/// The availability() of a stage that takes GPUs, which is measured only on GPUs.
Availability mpi_gpu_availability();

}  // namespace ratchet::ranks
