// Where the data of checks and tests lie.
#pragma once

#include <cstdlib>
#include <fstream>
#include <string>

#include "kernels/contract/check.h"

namespace ratchet::correctness {

/// Path of a file below correctness/. The environment variable RATCHET_DATA_DIR stands before the
/// directory of the build, so that a program can be carried to another machine.
inline std::string data_file(const std::string& name) {
  const char* directory = std::getenv("RATCHET_DATA_DIR");
  return std::string(directory ? directory : RATCHET_DATA_DIR) + "/" + name;
}

/// That file, opened. Throws `NoCheckData`, which says how a program that was carried elsewhere
/// finds it.
inline std::ifstream open_data_file(const std::string& name) {
  const std::string path = data_file(name);
  std::ifstream file(path);
  if (!file)
    throw NoCheckData(path +
                      ": cannot be read; set RATCHET_DATA_DIR to the folder correctness/ of the " +
                      "repository that this program was built of");
  return file;
}

}  // namespace ratchet::correctness
