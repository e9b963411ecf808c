// The parts of a row's digest, as the program reports them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/identity/row_id.h"

namespace ratchet::explain {

struct RowWork {
  std::string digest;  ///< of everything; empty if unknown
  std::string code;    ///< of the stage's code; empty if the program is too old to report it
  std::string input;   ///< of the input file; empty without one
  std::map<std::string, std::string> parameters;
};

/// By row, for a program with --ratchet_list_work; empty for other programs. Throws `Error` for a
/// malformed answer.
std::map<RowId, RowWork> row_works(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments);

}  // namespace ratchet::explain
