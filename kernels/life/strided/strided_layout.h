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
#include "kernels/support/host_device.h"

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
  /// Words of one universe.
  std::uint64_t size() const { return std::uint64_t{height} * pitch; }
};

Layout make_layout(std::uint32_t width, std::uint32_t height, std::uint32_t group, Edge edge);

/// How a pass is shared out. Its rows are cut into segments, a segment's row is its words and a
/// lane of ghosts at each end, and segments lie side by side in one long line of lanes, of which
/// each warp takes 32, 30 of them its own: no strip is cut short by the end of a row.
///
/// At a dead border the first and the last segment run through code of their own now and then,
/// which is too much for the instruction cache of those who do not need it: both have the first
/// `end_blocks` blocks to themselves, each with a line of lanes of its own.
struct Cut {
  std::uint32_t rows = 0;                                   ///< of the universe, or of a part of it
  std::uint32_t segments = 0, segment_rows = 0, lanes = 0;  ///< lanes of a segment
  std::uint32_t end_warps = 0, end_blocks = 0;  ///< warps of each segment at the ends; or none
  std::uint32_t blocks = 0;
};
inline constexpr std::uint32_t kOwnLanes = 30;
/// Warps of a block, whatever the shape of the kernel.
inline constexpr std::uint32_t kBlockWarps = 8;
/// Rows that the kernel's loop takes at a time.
inline constexpr std::uint32_t kTurn = 3;

/// Where a lane of a warp stands: at `lane` of the segment that begins with row `first`. All have
/// Cut::segment_rows rows, so that neighbours may share some.
struct Place {
  std::uint32_t lane = 0, first = 0;
  bool inside = false;  ///< else the lane is beyond the last, and takes another's place
};
RATCHET_HD inline Place place_of(const Cut& cut, std::uint32_t warp, std::uint32_t lane) {
  const std::uint32_t all_ends = cut.end_blocks * kBlockWarps;
  const bool at_end = warp < all_ends, tail = at_end && warp >= cut.end_warps;
  const std::uint32_t before = tail ? cut.end_warps : at_end ? 0 : all_ends;
  const std::uint32_t at = (warp - before) * kOwnLanes + lane;
  const std::uint32_t ends = cut.end_blocks > 0 ? 1 : 0;  // on either side of the others
  const std::uint32_t count = at_end ? 1 : cut.segments - 2 * ends;
  Place place{at % cut.lanes, 0, at / cut.lanes < count};
  std::uint64_t segment = place.inside ? at / cut.lanes : count - 1;
  if (!at_end) segment += ends;
  if (tail) segment = cut.segments - 1;
  place.first = static_cast<std::uint32_t>(segment * cut.rows / cut.segments);
  if (place.first > cut.rows - cut.segment_rows) place.first = cut.rows - cut.segment_rows;
  return place;
}

/// Cuts a pass of `generations` over a universe, or over rows of one, into as few segments, hence
/// rows computed twice, as keep `resident` blocks busy; or about `segments` of them where that is
/// not 0, and no more than 32 bits number the lanes of.
Cut cut_for(const Layout& layout, std::uint32_t generations, std::uint32_t resident,
            std::uint32_t segments = 0);

}  // namespace ratchet::life::strided
