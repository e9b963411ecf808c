// Where the strided layout puts the cells, and how a universe is cut into strips. No CUDA in here.
//
// A row is W words of 32 bits; bit i of word j is the cell at position i * W + j. The neighbours on
// the left and right of a word's 32 cells are the words before and after, bit by bit: nothing has
// to be shifted. Only where a row of words ends does it go on in the next bit: word W + j is word j
// shifted right by one, word j - W is word j shifted left. Positions from `width` on are dead, or
// on a torus the cells from the left again.
#pragma once

#include <cstdint>

#include "kernels/life/life.h"

namespace ratchet::life::strided {

/// Rows of a universe in device memory. Rows are `pitch` words apart; word 0 of a row is
/// lead() words after its beginning, so that a group of ghosts fits on both sides.
struct Layout {
  std::uint32_t width = 0, height = 0;
  std::uint32_t words = 0;  ///< W, a multiple of `group`
  std::uint32_t group = 0;  ///< neighbouring words that one lane holds
  std::uint32_t pitch = 0;
  Edge edge = Edge::dead;

  std::uint32_t lead() const { return group; }
  /// The first word whose bit 31 lies beyond the width; negative when there are others.
  std::int64_t boundary() const { return std::int64_t{width} - 31 * std::int64_t{words}; }
  /// A torus whose row does not end with a word: the words beyond both ends are gathered bit by
  /// bit before every pass. All others shift as they load.
  bool gathers() const { return edge == Edge::torus && width != 32 * std::uint64_t{words}; }
  /// What lies beyond a dead border starts with a lane, so that two masked words a lane hold it
  /// back.
  bool aligned() const { return boundary() >= group && boundary() % group == 0; }
  /// Words of one universe. Two spare rows, which stay dead: the kernel's loop fetches two rows
  /// ahead, and below the last row it takes what it finds for cells.
  std::uint64_t size() const { return (std::uint64_t{height} + 2) * pitch; }
};

/// What is in the two rows below the universe's last in memory that a pass reads: nothing alive for
/// ever, or whatever was there before.
enum class Below { dead, anything };

Layout make_layout(std::uint32_t width, std::uint32_t height, std::uint32_t group, Edge edge);

/// How a pass is shared out. The universe is cut into `segments` of rows, a segment's row is its
/// words and a lane of ghosts at each end, and all segments lie side by side in one long line of
/// lanes, of which each warp takes 32, 30 of them its own: no strip is cut short by the end of a
/// row.
struct Cut {
  std::uint32_t rows = 0;                                   ///< of the universe, or of a part of it
  std::uint32_t segments = 0, segment_rows = 0, lanes = 0;  ///< lanes of a segment
  std::uint32_t warps = 0;
};
inline constexpr std::uint32_t kOwnLanes = 30;

/// As few segments, hence rows computed twice, as keep `resident` warps busy; or `segments` of them
/// where that is not 0 (never more than there are rows).
Cut cut_for(const Layout& layout, std::uint32_t resident, std::uint32_t segments = 0);

}  // namespace ratchet::life::strided
