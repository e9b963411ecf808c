// life/cuda/05_strided
// Changed:  bit i of word j is cell i * W + j of a row of W words, so neighbours are neighbouring
//           words and nothing is shifted; a warp streams down 8 words a lane and keeps two rows of
//           each of 8 generations in registers; 8 LOP3 a word, half of the words 6 LOP3 and 5
//           multiply-adds; before, 10 LOP3, shifts, and a tile of 64 columns of which half is halo.
// Why:      half of the work was on cells that are thrown away, and shifts share the LOP3's pipe.
// Expected: 46e12 to 50e12 cells a second: 66e12 by 8 LOP3 a word alone, of which a sixteenth goes
//           to the outer lanes of strips and 3 % to the rows that warm a segment up.
//           In fact above the estimate because half the words take two of their LOP3 to the
//           multiplier.
// Source:   ratchet. The measured steps on the way are in STAGES.md.
#include "kernels/life/strided/cuda_strided_stage.h"
#include "kernels/life/strided/cuda_strided_universe.cuh"

namespace ratchet::life {
namespace {

using namespace strided;

class Strided final : public LifeStage {
 public:
  Strided() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return make_strided_universe(info().name, parameters, start, parameters.at("lane_words"),
                                 parameters.at("segments"));
  }

 private:
  static StageInfo make_info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "cells strided over words, 8 generations of a row in registers, 7 LOP3 a word",
         .source = "ratchet",
         // LOP3 of 3 rows x 8 words x 8 generations inside a dead border: 1344 for the rule, 48 for
         // the border. Halos are not in it.
         .limit = {"cuda.lop3", (1344.0 + 48) / (3 * 8 * 8 * 32)},
         .parameters = common_parameters(
             65536, 96,
             {torus_parameter(),
              {"lane_words", 0, 0, 8, "words a lane holds: 4, 8, or 0: by the size"},
              {"segments", 0, 0, kMaxSide,
               "pieces that the rows are cut into; 0: to fill the device"}}),
         .survey = squares({4096, 8192, 16384, 32768, 131072, 262144})});
  }
};

const Registration registered{std::make_unique<Strided>()};

}  // namespace

std::unique_ptr<Universe> make_strided_universe(const std::string& stage,
                                                const Parameters& parameters, const Grid& start,
                                                std::uint64_t lane_words, std::uint64_t segments) {
  const bool small = start.width() * start.height() <= kSmall;
  switch (lane_words == 0 ? (small ? 4 : 8) : lane_words) {
    case 4:
      return std::make_unique<StridedUniverse<Narrow<4>, Narrow<2>, Narrow<1>>>(stage, parameters,
                                                                                start, 4, segments);
    case 8:
      return std::make_unique<StridedUniverse<Wide<8>, Wide<4>, Wide<2>, Wide<1>>>(
          stage, parameters, start, 8, segments);
    default:
      throw Error(stage + ": lane_words=" + std::to_string(lane_words) +
                  ": a lane holds 4 or 8 words; choose one, or 0 to choose by the size");
  }
}

}  // namespace ratchet::life
