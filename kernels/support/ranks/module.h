// The module: the shared object that is linked with MPI, if the build has one.
#pragma once

#include <string>

#include "kernels/support/ranks/job.h"

namespace ratchet::ranks {

/// Its path for this program: ../lib from the program's folder. Empty for a build without MPI.
std::string module_file();

/// Its function. Throws `Error` naming file and reason if it cannot be loaded.
JoinJob open_module();

}  // namespace ratchet::ranks
