// life/cuda/02_lop3_11
// Changed:  the next state by the text's eleven LOP3; before, by the compiler's own choice for the
//           adder network.
// Why:      LOP3 is any function of three words; full adders are two of them, and the end is three.
// Expected: 15 %: 13 operations a word instead of 15, alignment included.
//           In fact more: the compiler had needed 15 for 01, not 13.
// Source:   Dijkstra and Brouwer, "LOP3".
#include "kernels/life/dense/cuda_text_columns.cuh"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return lop3_11(cells);
  }
};

struct Lop3Eleven : TextColumns<Rule> {
  static StageInfo info(std::vector<Parameter> parameters) {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "eleven LOP3 found by hand, otherwise as 01",
                       .source = text("LOP3"),
                       .limit = lop3_limit(407, kLanes, kDefaultRows),
                       .parameters = std::move(parameters)});
  }
};

const Registration registered{std::make_unique<ColumnStage<Lop3Eleven>>()};

}  // namespace
}  // namespace ratchet::life
