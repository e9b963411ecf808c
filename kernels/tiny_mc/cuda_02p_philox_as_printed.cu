// tiny_mc/cuda/02p_philox_as_printed
// Changed:  01p with Philox from cuRAND, of which the text says that its results were very good.
// Why:      a good generator does not help a wrong formula.
// Expected: a little slower than 01p: ten rounds of Philox cost more than four xorshifts.
//           In fact a third slower: with nothing to wait for, the ten rounds show.
// Source:   barufa, "Generador de numeros aleatorios".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct PhiloxAsPrinted : PrintedText {
  using Words = PhiloxWords<true>;

  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "01p with cuRAND's Philox",
                       .source = text("Generador de numeros aleatorios"),
                       .parameters = text_parameters(1u << 30),
                       .as_printed = true});
  }
};

const Registration registered{std::make_unique<TextStage<PhiloxAsPrinted>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
