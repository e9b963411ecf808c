// tiny_mc/cuda/06_rejection
// Changed:  04 with directions by rejection instead of polar coordinates.
// Why:      the text left this method because a warp waits for its unluckiest lane.
// Expected: no change: memory bounds it.
// Source:   barufa, "Calculo de nueva direccion del foton".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct RejectionStage : RightText {
  using Direction = Rejection;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "04 with the rejection method",
                       .source = text("Calculo de nueva direccion del foton"),
                       .parameters = text_parameters(1u << 26)});
  }
};

const Registration registered{std::make_unique<TextStage<RejectionStage>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
