// What rank 0 tells the others (message.h): a command, the number of a RankedRun, and what `make`
// says besides. An empty message: the job is done.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/support/ranks/observer.h"
#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::ranks {

enum class Command : std::uint32_t {
  make,    ///< a part; then the stage's name, whether rank 0 has a GPU for it, its parameters and
           ///< where to start. Answer: what went wrong, or an empty text; and which GPU it works on
  run,     ///< Answer: a RankTime
  reset,   ///< no answer
  gather,  ///< no answer
  drop,    ///< no answer; a part that could not be made may be dropped, too
};

/// The barrier, then the part's run under this rank's own clock, or that of its GPU. On every rank
/// alike.
RankTime timed_run(const std::string& stage, Part& part, Communicator& ranks, bool gpu);

/// Whether this rank's part of a stage works on a GPU. Throws `Error` where rank 0 has decided
/// otherwise (`of_rank_0`), and for a GPU that should not be measured now.
bool takes_gpu(const RankedStage& stage, std::optional<bool> of_rank_0 = std::nullopt);

/// The same of a stage that takes GPUs, on a rank that has one or not (`here`), and of which the
/// observer, if there is one, may say why not now.
bool takes_gpu(const Availability& here, std::optional<bool> of_rank_0, RunObserver* observer);

}  // namespace ratchet::ranks
