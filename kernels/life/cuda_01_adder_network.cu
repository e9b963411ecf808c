// life/cuda/01_adder_network
// Changed:  the text's OpenCL kernel straight over to CUDA: the adder network on 32-bit words, 16
//           generations a pass, two windows of 32 cells a thread, 16 rows of them, the rows between
//           threads through shared memory.
// Why:      the ladder starts from what OpenCL already had.
// Expected: 10 * 10^12 cell updates/s. The network is 27 operations, which the compiler merges into
//           about 13 LOP3; with two shifts a word that is 15 of the 16.55 * 10^12 a second, and
//           half of the cells are halo: 16.55 * 32 / 15 / 2 = 17.6 at the very most, barriers
//           apart.
//           In fact more: 15 LOP3 and 1.7 shifts a word, and the barriers hide behind other
//           blocks.
// Source:   Dijkstra and Brouwer, "Ascending to the Apex of Parallelism Using the GPU".
#include "kernels/life/dense/cuda_text_columns.cuh"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return adder_network(cells);
  }
};

struct AdderNetwork : TextColumns<Rule> {
  static StageInfo info(std::vector<Parameter> parameters) {
    return stage_info({.name = RATCHET_STAGE,
                       .summary = "adder network, shared memory, 16 generations a pass",
                       .source = text("Work-Per-Thread"),
                       .limit = lop3_limit(535, kLanes, kDefaultRows),
                       .parameters = std::move(parameters)});
  }
};

const Registration registered{std::make_unique<ColumnStage<AdderNetwork>>()};

}  // namespace
}  // namespace ratchet::life
