// Where the data of checks and tests lie.
#pragma once

#include <cstdlib>
#include <string>

namespace ratchet::correctness {

/// Path of a file below correctness/. The environment variable RATCHET_DATA_DIR stands before the
/// directory of the build, so that a program can be carried to another machine.
inline std::string data_file(const std::string& name) {
  const char* directory = std::getenv("RATCHET_DATA_DIR");
  return std::string(directory ? directory : RATCHET_DATA_DIR) + "/" + name;
}

}  // namespace ratchet::correctness
