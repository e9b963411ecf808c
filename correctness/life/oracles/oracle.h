// The Game of Life fast enough for expectations of millions of cells, and simple: 64 cells a word,
// plain adders, one generation at a time. Tests hold it against reference/life
// (correctness/life/oracles/oracle_test.cpp), and the stages against both.
#pragma once

#include "kernels/life/life.h"

namespace ratchet::life {

/// `start` after `generations` generations. Some 10^10 cell updates a second on one CPU.
Grid oracle_run(const Grid& start, std::uint64_t generations, Edge edge);

}  // namespace ratchet::life
