// life/cuda/08_resident
// Changed:  one launch a run, in which the universe stays in the registers of the multiprocessors,
//           and two thirds of one of more than 8192 columns in their shared memory; whole rows to
//           a warp; blocks exchange rows through the second-level cache every so many generations.
//           05 reads and writes it every 4 or 8 generations, a launch each. A universe that does
//           not fit (16384 columns, 17688 rows on an H200) runs as in 05.
// Why:      small universes lose to the gaps between kernels and to the rows that warm a strip up:
//           at 4096 x 4096 a pass of 05 is 8.7 us, of which 1.3 are work.
// Expected: 30e12 cells a second at 4096 x 4096, 40e12 at 8192 x 8192: 8.5 operations a word on
//           the LOP3 pipe, 1.5 and 1.13 rows worked on for each that counts, and some 1300 clocks
//           an exchange that nothing hides. 52e12 at 16384 x 16384, whose exchanges are hidden.
//           In fact the second is above the estimate, since half the words do with 6 LOP3; the
//           first is below, since rows of 4 words leave the LOP3 pipe idle while a warp waits for
//           another.
// Source:   ratchet. What was tried on the way is in STAGES.md.
#include "kernels/life/resident/cuda_resident_universe.cuh"
#include "kernels/life/strided/cuda_strided_stage.h"

namespace ratchet::life {
namespace {

using namespace resident;

class Resident final : public LifeStage {
 public:
  Resident() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    auto universe = make_resident_universe<UpTo1024, UpTo2048, UpTo4096, UpTo8192, UpTo16384>(
        info().name, parameters, start, parameters.at("always") != 0);
    return universe ? std::move(universe)
                    : make_strided_universe(info().name, parameters, start, 0, 0);
  }

 private:
  static StageInfo make_info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "the universe in registers and shared memory for all of a run, "
                                  "rows exchanged through L2",
                       .source = "ratchet",
                       // LOP3 pipe, 6 rows x 8 words of a warp inside a dead border: 336 LOP3 for
                       // the rule, 12 shifts for the ends of the rows. Halos are not in it.
                       .limit = {"cuda.lop3", (336.0 + 12) / (6 * 8 * 32)},
                       .parameters = common_parameters(
                           8192, 1536,
                           {torus_parameter(),
                            {"always", 0, 0, 1, "1: wherever it fits, also where 05 is faster"}}),
                       // One lane of a warp arrives at an mbarrier for all, after __syncwarp:
                       // racecheck (CUDA 13.0) takes only that lane's accesses to be ordered by it,
                       // and calls all others races.
                       .skip_sanitizers = {"racecheck"},
                       .survey = joined(squares({1024, 2048, 4096, 16384}),
                                        squares({4096, 8192, 16384}, {{"steps", 96}}))});
  }
};

const Registration registered{std::make_unique<Resident>()};

}  // namespace
}  // namespace ratchet::life
