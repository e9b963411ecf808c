// One row of a program under another name, so that two rows can be the two sides of a comparison.
#pragma once

#include <memory>
#include <string>

#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// A row's name without "PROGRAM/", which `gate` puts before it and these comparisons do not.
std::string own_name(const std::string& row, const std::filesystem::path& program);

/// Lists `row` of `program` alone, as `name`. What it executes is not told: the other side's row of
/// this name is another function. `row` is a name, or a filter that selects one row; throws `Error`
/// where it does not.
std::unique_ptr<BenchProgram> one_row(std::unique_ptr<BenchProgram> program, const std::string& row,
                                      const std::string& name = "");

}  // namespace ratchet::gate
