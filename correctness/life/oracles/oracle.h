// The Game of Life fast enough for expectations of millions of cells, and simple: 64 cells a word,
// plain adders, one generation at a time. Tests hold it against reference/life
// (correctness/life/tests/known_test.cpp), and the stages against both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/life/grid/grid.h"
#include "kernels/life/life.h"

namespace ratchet::life {

/// `start` after `generations` generations. Some 10^10 cell updates a second on one CPU.
Grid oracle_run(const Grid& start, std::uint64_t generations, Edge edge);

// Known answers: what others found, of patterns on an unbounded plane and of tori of full size.

/// A line of correctness/life/oracles/known.tsv, and from generation 1 that of boxes.tsv.
struct KnownPattern {
  std::string name;
  Grid pattern;  ///< its own size
  std::uint64_t generation = 0;
  std::uint64_t population = 0;  ///< then, gliders that escape included
  /// The bounding box then, its corner counted from the pattern's own; of no cell, all 0.
  std::int64_t x = 0, y = 0;
  std::uint64_t width = 0, height = 0;
};

/// All lines. Throws `Error` naming file and line.
std::vector<KnownPattern> read_known_patterns();

/// The pattern in the middle of a dead grid that nothing leaves: beyond what the fastest thing that
/// escapes from these patterns, a glider, comes in `known.generation` generations.
Grid on_a_plane(const KnownPattern& known);

/// The known bounding box there.
Box box_on_a_plane(const KnownPattern& known);

/// A line of correctness/life/oracles/torus_checksums.tsv.
struct KnownTorus {
  std::uint64_t width = 0, height = 0, steps = 0, seed = 0;
  std::uint64_t population = 0;
  std::string checksum;  ///< live cells of 4 x 4 tiles, joined by '-'
};

std::vector<KnownTorus> read_known_tori();

/// The start of it, by the recipe in the file's header: some seconds.
Grid start_of(const KnownTorus& known);

/// Live cells of 4 x 4 tiles of ceil(width / 4) x ceil(height / 4), as in the file.
std::string tile_checksum(const Grid& grid);

}  // namespace ratchet::life
