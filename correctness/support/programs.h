// The programs that tests run, found from where the test's own lies, so that a build folder can be
// copied to another machine.
#pragma once

#include <string>

#include "perf/support/process.h"

namespace ratchet {

/// "perf/ratchet", "correctness/third_party_bench": a program of this test's build folder.
inline std::string built_program(const std::string& path) {
  return own_executable().parent_path().parent_path() / path;
}

}  // namespace ratchet
