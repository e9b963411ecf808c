// What rank 0 tells the others (message.h): a command, the number of a RankedRun, and what `make`
// says besides. An empty message: the job is done.
#pragma once

#include <cstdint>

#include "kernels/support/ranks/ranked_run.h"

namespace ratchet::ranks {

enum class Command : std::uint32_t {
  make,    ///< a part; then the stage's name, its parameters and where to start. Answer: what went
           ///< wrong, or an empty text
  run,     ///< Answer: a RankTime
  reset,   ///< no answer
  gather,  ///< no answer
  drop,    ///< no answer; a part that could not be made may be dropped, too
};

/// The barrier, then the part's run under this rank's own clock. On every rank alike.
RankTime timed_run(Part& part, Communicator& ranks);

}  // namespace ratchet::ranks
