// What enters a row's digest of work besides code, as the program itself says it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "perf/identity/row_id.h"

namespace ratchet::explain {

struct RowWork {
  std::string digest;  ///< of all of it; empty where it is unknown
  std::string code;    ///< of the stage's code; empty where the program is too old to say it
  std::string input;   ///< of the input file; empty without one
  std::map<std::string, std::string> parameters;
};

/// By row, of a program that knows --ratchet_list_work; nothing of another one. Throws `Error` for
/// an answer of another form.
std::map<RowId, RowWork> row_works(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments);

}  // namespace ratchet::explain
