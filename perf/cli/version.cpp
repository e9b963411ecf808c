// Compiled by itself, for it changes with every commit.
#include "perf/cli/commands.h"
#include "ratchet_revision.h"

namespace ratchet {

const char* version() { return "ratchet " RATCHET_VERSION; }

}  // namespace ratchet
