// life/cuda/04_warp_shuffle
// Changed:  a block is one warp, and the rows between threads go by warp shuffle; before, through
//           shared memory with a barrier a generation.
// Why:      nobody waits for anybody, and the universe stays in registers for a whole pass.
// Expected: 10 % over 03: no barrier, but 6 % of the rows are halo where it was 1 %.
//           In fact less: the halo takes back nearly all that the barriers had cost, so the
//           default is 20 rows a thread and not 16 as in 03.
// Source:   Dijkstra and Brouwer, "Warp Shuffle".
#include "kernels/life/dense/cuda_stage.cuh"
#include "kernels/life/dense/cuda_warp_shuffle.cuh"

namespace ratchet::life {
namespace {

struct Rule {
  __device__ static std::uint32_t next(const Neighbourhood<std::uint32_t>& cells) {
    return lop3_10(cells);
  }
};

struct WarpShuffle {
  static constexpr int kLanes = 32;
  using Rows = ManyRows;
  static constexpr unsigned kDefaultRows = 20;
  template <unsigned kRows>
  static auto kernel() {
    return &warp_shuffle_pass<ExchangeRows<Rule>, kRows>;
  }
  static StageInfo info(std::vector<Parameter> parameters) {
    return stage_info(
        {.name = RATCHET_STAGE,
         .summary = "03 with warp shuffles in place of shared memory: the text's last kernel",
         .source = text("Warp Shuffle"),
         .limit = lop3_limit(466, kLanes, kDefaultRows),
         .parameters = std::move(parameters),
         .survey = grid({{"rows", {8, 16, 24, 32}}})});
  }
};

const Registration registered{std::make_unique<ColumnStage<WarpShuffle>>()};

}  // namespace
}  // namespace ratchet::life
