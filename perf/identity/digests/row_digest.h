// Digests of the rows of a third-party Google Benchmark program: equal digests mean that two
// programs execute the same for a row. README.md has the rules (R1 to R10).
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/identity/row_id.h"

namespace ratchet::counters {

/// How a program is linked.
struct Link {
  std::vector<std::filesystem::path> objects;  ///< and static libraries, in order
  std::string options;  ///< all other words, without the build's folder, and the files they name
};

/// From the program's CMake build (Ninja or Makefiles). The link is repeated, and must give the
/// program's code and data. Throws `Error` with the reason where that is not so.
Link link_of_program(const std::filesystem::path& program);

/// Whether a symbol is that of a function, or its lambda's, whose one parameter is
/// `benchmark::State&`.
bool takes_state(const std::string& symbol);

/// The same of functions that are not Google Benchmark's own, or as a fixture's SetUp(const
/// benchmark::State&): nothing calls it before there is a State.
bool needs_state(const std::string& symbol);

/// The symbols of the function taking `benchmark::State&` that the command enters first, found by
/// breakpoints (ptrace). Throws `Error` where there is none.
std::set<std::string> entered_function(const std::filesystem::path& program,
                                       const std::vector<std::string>& command);

struct RowDigests {
  std::map<RowId, std::string> digests;  ///< by row
  std::map<RowId, std::string> unknown;  ///< by row, why it cannot be followed
};

/// `functions`: by row, the symbols of its function. Throws `Error` where no row can be followed.
RowDigests row_digests(const std::filesystem::path& program, const Link& link,
                       const std::map<RowId, std::set<std::string>>& functions);

}  // namespace ratchet::counters
