// tiny_mc/cuda/07_half_warps
// Changed:  the arrays of a block are added by pairs, 16 values of each in the halves of a warp,
//           with one shuffle.
// Why:      the text's future work.
// Expected: no change: the reduction is one part in ten thousand of the work.
// Source:   barufa, "Conclusiones".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct HalfWarps : RightText {
  template <std::uint32_t kShells>
  using Heat = ThreeLevelHeat<kShells, true>;

  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "04 with the text's future work: two half-warps reduce two arrays at once",
         .source = text("Conclusiones"),
         .parameters = text_parameters(1u << 26)});
  }
};

const Registration registered{std::make_unique<TextStage<HalfWarps>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
