// life/cuda/03_lop3_10
// Changed:  ten LOP3 a word, before eleven: the text's SAT solver replaced the last five by four.
// Why:      the LOP3 pipe is the limit.
// Expected: 8 %: 12 operations a word instead of 13, alignment included.
//           In fact a little less: it reaches less of the bound than 02.
// Source:   Dijkstra and Brouwer, "LOP3".
#include "kernels/life/dense/cuda_text_columns.cuh"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return lop3_10(cells);
  }
};

struct Lop3Ten : TextColumns<Rule> {
  static StageInfo info(std::vector<Parameter> parameters) {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "ten LOP3, four of them by a SAT solver, otherwise as 01",
                       .source = text("LOP3"),
                       .limit = lop3_limit(375, kLanes, kDefaultRows),
                       .parameters = std::move(parameters)});
  }
};

const Registration registered{std::make_unique<ColumnStage<Lop3Ten>>()};

}  // namespace
}  // namespace ratchet::life
