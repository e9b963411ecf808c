// tiny_mc/cuda/06b_rejection_one_loop
// Changed:  06 in the loop and the arithmetic of 01p: one loop for all photons of a thread, the
//           double product that finds the shell, approximate roots and quotients.
// Why:      the text left the rejection method for the polar form in that very program, and found
//           it faster. Here is what it left, with words that are random and never 0.
// Expected: 140 000 photons a millisecond (H200), three quarters of 06, since lanes that go on by
//           themselves write lines of their own; 25 times slower than 01p, not for its rejections
//           but because its photons exist.
// Source:   barufa, "Calculo de nueva direccion del foton".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct RejectionOneLoop : RightText {
  using Direction = Rejection;
  using Math = FastMath;
  static constexpr bool kAsPrinted = true;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "06 in the loop and arithmetic of 01p",
                       .source = text("Calculo de nueva direccion del foton"),
                       .parameters = text_parameters(1u << 26)});
  }
};

const Registration registered{std::make_unique<TextStage<RejectionOneLoop>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
