// Rank 0's messages to the other ranks (message.h): a command, the number of a RankedRun, and the
// arguments of `make`. An empty message ends the job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/support/ranks/observer.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::ranks {

enum class Command : std::uint32_t {
  make,    ///< a part; arguments: the stage's name, whether rank 0 has a GPU for it, its parameters
           ///< and the start state. Answer: an error or an empty text; and the GPU it uses
  run,     ///< Answer: a RankTime
  reset,   ///< no answer
  gather,  ///< no answer
  drop,    ///< no answer; also valid for a part that could not be made
};

/// The barrier, then the part's run, timed by this rank's clock or its GPU's. Called on every rank.
RankTime timed_run(const std::string& stage, Part& part, Communicator& ranks, bool gpu);

/// Whether this rank's part of a stage works on a GPU. Throws `Error` if rank 0 decided otherwise
/// (`of_rank_0`), and for a GPU that should not be measured now.
bool takes_gpu(const RankedStage& stage, std::optional<bool> of_rank_0 = std::nullopt);

/// The same for a stage that takes GPUs, on a rank with or without one (`here`). The observer, if
/// any, may object to its GPU.
bool takes_gpu(const Availability& here, std::optional<bool> of_rank_0, RunObserver* observer);

}  // namespace ratchet::ranks
