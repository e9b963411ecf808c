#include "kernels/life/strided/strided_layout.h"

#include <algorithm>

namespace ratchet::life::strided {

Layout make_layout(std::uint32_t width, std::uint32_t height, std::uint32_t group, Edge edge) {
  Layout layout;
  layout.width = width;
  layout.height = height;
  layout.group = group;
  layout.words = ((width + 31) / 32 + group - 1) / group * group;
  layout.pitch = layout.words + 2 * group;
  layout.edge = edge;
  return layout;
}

namespace {

std::uint32_t over(std::uint64_t value, std::uint32_t by) {
  return static_cast<std::uint32_t>((value + by - 1) / by);
}

}  // namespace

Cut cut_for(const Layout& layout, std::uint32_t generations, std::uint32_t resident,
            std::uint32_t segments) {
  Cut cut;
  cut.rows = layout.height;
  cut.lanes = layout.words / layout.group + 2;
  const bool dead = layout.edge == Edge::dead;
  const std::uint32_t end_warps = dead ? over(cut.lanes - 2, kOwnLanes) : 0;
  const std::uint32_t end_blocks = over(2 * end_warps, kBlockWarps);
  std::uint64_t wanted = segments;
  if (segments == 0 && resident > end_blocks)
    wanted =
        std::uint64_t{resident - end_blocks} * kBlockWarps * kOwnLanes / cut.lanes + (dead ? 2 : 0);
  // place_of() numbers the lanes of the line in 32 bits, and those of its last block that lie
  // beyond.
  constexpr std::uint64_t kMostLanes = (std::uint64_t{1} << 32) - 2 * kBlockWarps * 32;
  cut.segments = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
      wanted, 1, std::min<std::uint64_t>(cut.rows, kMostLanes / cut.lanes)));
  // With its warm-up a segment is a whole number of turns: the last one is not half empty.
  cut.segment_rows = over(cut.rows, cut.segments);
  while ((cut.segment_rows + 2 * generations) % kTurn != 0 && cut.segment_rows < cut.rows)
    ++cut.segment_rows;
  cut.segments = over(cut.rows, cut.segment_rows);
  if (dead && cut.segments > 2) cut.end_warps = end_warps, cut.end_blocks = end_blocks;
  const std::uint64_t shared = cut.segments - (cut.end_blocks > 0 ? 2 : 0);
  cut.blocks = cut.end_blocks + over(over(shared * cut.lanes, kOwnLanes), kBlockWarps);
  return cut;
}

}  // namespace ratchet::life::strided
