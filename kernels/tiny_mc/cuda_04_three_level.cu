// tiny_mc/cuda/04_three_level
// Changed:  deposits go to an array of the thread, which warps reduce by shuffles into arrays of
//           the block, which a tree reduces into one, which is added to global memory.
// Why:      no atomic addition until a thread has finished all its photons.
// Expected: slower than 01p by far: right photons spread over all shells, and 808 bytes a thread
//           do not fit the first-level cache (0.14 million photons a millisecond on an H200).
//           In fact in one loop for all photons of a thread, as 01p, it would be slower
//           (cuda_text_stage.cuh).
// Source:   barufa, "Agrupacion de las simulaciones".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

/// The article claims a gain for the tree, and for the arrays of a block, with no figure: "sums".
struct ThreeLevel : RightText {
  static constexpr bool kChoosesSums = true;

  static std::vector<ParameterPoint> sums_survey() {
    return grid({{"photons", {1u << 25}}, {"photons_per_thread", {1, 256}}, {"sums", {1, 2}}});
  }
  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "the text's three levels of heat arrays, with the right formula",
                       .source = text("Agrupacion de las simulaciones"),
                       .parameters = joined(text_parameters(1u << 26), {sums_parameter()}),
                       .survey = joined(block_survey(1u << 25), sums_survey())});
  }
};

const Registration registered{std::make_unique<TextStage<ThreeLevel>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
