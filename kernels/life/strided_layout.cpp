#include "kernels/life/strided_layout.h"

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

Cut cut_for(const Layout& layout, std::uint32_t resident, std::uint32_t segments) {
  Cut cut;
  cut.rows = layout.height;
  cut.lanes = layout.words / layout.group + 2;
  const std::uint64_t fitting =
      segments != 0 ? segments : std::uint64_t{resident} * kOwnLanes / cut.lanes;
  cut.segments = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(fitting, 1, std::uint64_t{layout.height}));
  cut.segment_rows = (layout.height + cut.segments - 1) / cut.segments;
  const std::uint64_t all = std::uint64_t{cut.segments} * cut.lanes;
  cut.warps = static_cast<std::uint32_t>((all + kOwnLanes - 1) / kOwnLanes);
  return cut;
}

}  // namespace ratchet::life::strided
