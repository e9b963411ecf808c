// tiny_mc/cuda/05_philox
// Changed:  04 with Philox from cuRAND.
// Why:      the text tried it, too.
// Expected: no change: memory bounds it.
//           In fact faster than 04: ten rounds of Philox cost nothing that shows, and why it is
//           faster was not looked into.
// Source:   barufa, "Generador de numeros aleatorios".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct Philox : RightText {
  using Words = PhiloxWords<false>;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "04 with cuRAND's Philox",
                       .source = text("Generador de numeros aleatorios"),
                       .parameters = text_parameters(1u << 26)});
  }
};

const Registration registered{std::make_unique<TextStage<Philox>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
