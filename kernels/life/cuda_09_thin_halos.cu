// life/cuda/09_thin_halos
// Changed:  blocks make hardly a row of their neighbours'. With 4097 to 8192 columns, none: they
//           send an outer row as soon as it is made, and need the neighbour's a generation later.
//           With up to 4096, halos of 4 rows, each made for as long as it is needed; and a warp has
//           a row near either edge of its block, 8 words a lane where whole rows had 4. What does
//           not fit (8192 columns, 8448 rows on an H200) runs as in 05.
// Why:      in 08 62 of 72 rows count at 8192 x 8192, 31 of 47 at 4096 x 4096, and exchanges are
//           waited for.
// Expected: 56e12 cells a second at 8192 x 8192: 62 rows of 8 words, at the 19 clocks a word and
//           scheduler that 08 takes without exchanges. 47e12 at 4096 x 4096: 35 words a scheduler.
//           In fact the second is 35e12: so few rows leave the LOP3 pipe idle while warps wait for
//           each other, at 27 clocks a word.
// Source:   ratchet. What was tried on the way is in STAGES.md.
#include "kernels/life/resident/cuda_resident_folded.cuh"
#include "kernels/life/resident/cuda_resident_stage.h"
#include "kernels/life/resident/cuda_resident_universe.cuh"
#include "kernels/life/strided/cuda_strided_stage.h"

namespace ratchet::life {
namespace {

using namespace resident;

class ThinHalos final : public LifeStage {
 public:
  ThinHalos() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    auto universe = make_thin_universe(info().name, parameters, start);
    return universe ? std::move(universe)
                    : make_strided_universe(info().name, parameters, start, 0, 0);
  }

 private:
  static StageInfo make_info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "the universe in registers for all of a run, hardly a row made twice",
         .source = "ratchet",
         // LOP3 pipe, a row of 8 words inside a dead border: 56 LOP3 for the rule, 2 shifts for
         // the ends of the row.
         .limit = {"cuda.lop3", (56.0 + 2) / (8 * 32)},
         .parameters = common_parameters(8192, 1536, {torus_parameter()}),
         // As in 08: one lane of a warp arrives at an mbarrier for all, after __syncwarp.
         .skip_sanitizers = {"racecheck"},
         .survey = joined(squares({1024, 2048, 4096}), squares({4096, 8192}, {{"steps", 96}}))});
  }
};

const Registration registered{std::make_unique<ThinHalos>()};

}  // namespace

std::unique_ptr<Universe> make_thin_universe(const std::string& stage, const Parameters& parameters,
                                             const Grid& start) {
  return make_resident_universe<FoldedUpTo4096, ThinUpTo8192>(stage, parameters, start, false);
}

}  // namespace ratchet::life
