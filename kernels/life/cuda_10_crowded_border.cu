// life/cuda/10_crowded_border
// Changed:  beyond a dead border no mask: cells there are told of four neighbours more, by two
//           multiply-adds for each mask; the loop of 05 tests for nothing but its end, and five
//           words of eight do without XOR, not four. With 8193 to 16384 columns 08's deep tiles,
//           one word of 16 without XOR, not 8, whose rows are fetched from shared memory a row
//           ahead. Up to 8192 columns as 09; what is small and does not fit runs as in 05.
// Why:      a multiply-add takes half a clock of the LOP3s' pipe, though it has one of its own. In
//           05 the two warps of a scheduler leave 4 % of both pipes unused, in deep tiles more.
// Expected: 56.5e12 cells a second at 65536 x 65536: 1.5 % by the border, 2 % by the loop. 52e12 at
//           16384 x 16384, where nothing hides the way from shared memory, a seventh of a row.
//           In fact 56.0e12 and 53.0e12.
// Source:   ratchet. What was tried on the way is in STAGES.md.
#include "kernels/life/resident/cuda_resident_stage.h"
#include "kernels/life/resident/cuda_resident_universe.cuh"
#include "kernels/life/strided/cuda_strided_stage.h"

namespace ratchet::life {
namespace {

using namespace resident;

class CrowdedBorder final : public LifeStage {
 public:
  CrowdedBorder() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    if (auto universe = make_thin_universe(info().name, parameters, start)) return universe;
    if (auto universe =
            make_resident_universe<EarlyUpTo16384>(info().name, parameters, start, false))
      return universe;
    if (start.width() * start.height() <= strided::kSmall)
      return make_strided_universe(info().name, parameters, start, 0, 0);
    using strided::Crowded, strided::Wide;
    return std::make_unique<strided::StridedUniverse<Crowded<8>, Wide<4>, Wide<2>, Wide<1>>>(
        info().name, parameters, start, 8, 0);
  }

 private:
  static StageInfo make_info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "a dead border by overcrowding, not masks; fewer instructions of other pipes",
         .source = "ratchet",
         // LOP3 of 3 rows x 8 words x 8 generations: 6 for each of 5 words, 8 for the others.
         .limit = {"cuda.lop3", (3 * 8 * (5 * 6 + 3 * 8.0)) / (3 * 8 * 8 * 32)},
         .parameters = common_parameters(65536, 96, {torus_parameter()}),
         // As in 08: one lane of a warp arrives at an mbarrier for all, after __syncwarp.
         .skip_sanitizers = {"racecheck"},
         .survey = joined(squares({32768, 131072, 262144}), squares({16384}, {{"steps", 1536}}))});
  }
};

const Registration registered{std::make_unique<CrowdedBorder>()};

}  // namespace
}  // namespace ratchet::life
