// How a warp finds its maximum by shuffles (stages/cuda_reduce.cuh); a picture for the family's
// page.
#include <fmt/format.h>

#include "correctness/support/drawing.h"
#include "perf/study/report/plots/drawings.h"

namespace ratchet::graveler {
namespace {

nlohmann::json shuffles() {
  correctness::Drawing drawing;
  constexpr double left = 112, size = 23, high = 18, step = 62, top = 40;
  const auto y_of = [&](int row) { return top + step * row; };
  drawing.text({left, 16}, "left",
               "A number says of how many lanes a lane has the maximum; arrows carry what lane 0 "
               "needs. Grey lanes shuffle, too: in vain.");
  int offset = 32;
  for (int row = 0; row <= 5; ++row, offset /= 2) {
    drawing.text({left - 10, y_of(row) + 13}, "right",
                 row == 0 ? "32 lanes" : fmt::format("offset {}", offset));
    for (int lane = 0; lane < 32; ++lane) {
      const double x = left + size * lane;
      const bool needed = lane < offset;
      drawing.rectangle({x, y_of(row)}, size, high, needed ? "kept" : "faint");
      if (needed)
        drawing.text({x + size / 2, y_of(row) + 13}, "center", fmt::format("{}", 32 / offset));
      if (needed && lane >= offset / 2 && row < 5)
        drawing.arrow({x + size / 2, y_of(row) + high + 2},
                      {x + size / 2 - size * offset / 2, y_of(row + 1) - 5});
    }
  }
  return drawing.spec("A warp's maximum: five shuffles", left + 32 * size + 8, y_of(5) + 30);
}

const report::PictureRegistration registered{"graveler", "shuffles", &shuffles};

}  // namespace
}  // namespace ratchet::graveler
