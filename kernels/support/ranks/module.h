// The shared object that is linked with MPI, where a build has one.
#pragma once

#include <string>

#include "kernels/support/ranks/job.h"

namespace ratchet::ranks {

/// Where it lies for this program: ../lib from the program's folder. Empty for a build without MPI.
std::string module_file();

/// Its function. Throws `Error` naming file and reason where it cannot be opened.
JoinJob open_module();

}  // namespace ratchet::ranks
