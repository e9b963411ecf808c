// tiny_mc/cuda/03_global_heat
// Changed:  the direction formula put right (x1 = r sin, x2 = r cos), unsigned shifts, uniforms
//           strictly between 0 and 1, and no hierarchy yet: deposits go straight to global memory.
// Why:      the rung below the text's hierarchy, so that what the hierarchy brings can be
//           measured.
// Expected: 202 sums for all threads: bound by atomic additions to a few addresses.
// Source:   ratchet; barufa, "Agrupacion de las simulaciones", begins a rung above.
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct GlobalHeatStage : RightText {
  template <std::uint32_t kShells>
  using Heat = GlobalHeat;

  static StageInfo info() {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "right formula, every deposit an atomic addition to global memory",
         .source = text("Agrupacion de las simulaciones"),
         .parameters = text_parameters(1u << 22)});
  }
};

const Registration registered{std::make_unique<TextStage<GlobalHeatStage>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
