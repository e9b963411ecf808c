// tiny_mc/cuda/01p_as_printed
// Changed:  the text's kernel with what its errors do kept: the polar formula with the scale and
//           shift of the rejection method, the signed shifts of its xorshift, uniforms that can be
//           0; the linked program's double in the inner loop. Mended, being undefined: the loop
//           over the shells that writes past its arrays, shuffles that name lanes which do not
//           exist in blocks of 16, and a barrier that the text leaves out. Not in the text: one
//           loop for all photons of a thread, as in the program that it links, and arithmetic as
//           with -use_fast_math, without which that program is not as fast as it was measured.
// Why:      to show what a harness is for. Most directions come out as NaN, so every photon does,
//           and NaN is the last shell: the kernel is fast because the photons are gone at once and
//           what is used of the thread's own array stays in the first-level cache.
// Expected: 3.4 million photons a millisecond (H200), all of them wrong.
//           In fact with a loop over photons and exact roots it is half as fast: the loop is worth
//           1.3, the arithmetic 1.5.
// Source:   barufa, "Kernel".
#include "kernels/tiny_mc/text/cuda_text_stage.cuh"

namespace ratchet::tiny_mc {
namespace {

struct AsPrinted : PrintedText {
  static StageInfo info() {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "the text's kernel, wrong direction formula and all",
                       .source = text("Kernel"),
                       .parameters = text_parameters(1u << 30),
                       .survey = joined(photon_survey(), block_survey(1u << 28)),
                       .as_printed = true});
  }
};

const Registration registered{std::make_unique<TextStage<AsPrinted>>()};

}  // namespace
}  // namespace ratchet::tiny_mc
