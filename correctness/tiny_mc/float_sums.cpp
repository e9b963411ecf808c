#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "correctness/tiny_mc/checks.h"

namespace ratchet::tiny_mc {

TestResults check_float_sums(const PhotonStage& floats, const PhotonStage& doubles,
                             const Medium& medium, std::uint64_t photons, const SumShape& shape) {
  const auto shaped = [&](const PhotonStage& stage) {
    return parameters_for(stage, medium, photons, 91)
        .set("block_threads", shape.block_threads)
        .set("photons_per_thread", shape.photons_per_thread);
  };
  const Parameters parameters = shaped(floats);
  const Tally a = run_once(floats, parameters);
  const Tally b = run_once(doubles, shaped(doubles));
  const Binned& law = heat_law(medium).heat;
  double worst = 0, share = 0;
  for (std::size_t bin = 0; bin < law.expected.size(); ++bin) {
    double heat = 0, off = 0;
    for (std::uint32_t shell = law.first[bin]; shell < law.first[bin + 1]; ++shell) {
      heat += b.heat[shell];
      off += std::fabs(a.heat[shell] - b.heat[shell]);
    }
    worst = std::max(worst, off / heat);
    share = std::max(share, off / heat / floats.rounding(parameters, law.expected[bin].deposits));
  }
  // None at all would mean that one of the two does not sum what it says.
  return {correctness::exact(
      fmt::format("float sums of {} photons, {} shells, blocks of {} x {}", photons, medium.shells,
                  shape.block_threads, shape.photons_per_thread),
      a.photons == b.photons && worst > 0 && share <= 1,
      fmt::format("off by {:.2g} at most, {:.2g} of the bound", worst, share))};
}

}  // namespace ratchet::tiny_mc
