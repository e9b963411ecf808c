// life/cuda/07_sparse
// Changed:  tiles whose surroundings did not change over the last pass are skipped
//           (cuda_sparse.cuh). While much of the universe changes, 05's kernel computes all of it,
//           and a sample of its result tells when to change over.
// Why:      a soup settles: after some ten thousand generations nearly all of it is still or
//           blinks, and a pass over it computes what is there already.
// Expected: settled, 65536 x 65536: as many passes a second as kernels can be started, each of
//           12 generations in some 10 us instead of 1.1 ms: 100 times 05. Fresh: 05 less the
//           sample, 1 part in 1000.
//           In fact at 16384 x 16384 the gaps between 64 passes bound it, since no tile is active.
//           Fresh, nothing is lost. CUPTI makes the host slower at starting kernels; STAGES.md
//           has what events say.
// Source:   Dijkstra and Brouwer, "Future Work"; the proof by unchanged surroundings: ratchet.
#include <memory>
#include <vector>

#include "kernels/life/sparse/cuda_sparse_universe.cuh"

namespace ratchet::life {
namespace {

class Sparse : public LifeStage {
 public:
  Sparse() : LifeStage(make_info()) {}

 protected:
  std::unique_ptr<Universe> make_universe(const Parameters& parameters,
                                          const Grid& start) const override {
    return std::make_unique<sparse::TiledUniverse>(parameters, start);
  }

 private:
  static StageInfo make_info() {
    return stage_info({
        .name = RATCHET_STAGE,
        .summary = "skips tiles that are still or repeat themselves",
        .source = text("Future Work"),
        .parameters = common_parameters(
            65536, 768,
            {{"settle", 0, 0, std::uint64_t{1} << 24,
              "generations before the timed ones, best a multiple of 12; 0: a fresh soup"},
             {"dense_above", 35, 0, 100,
              "percent of the tiles; where more are active, all are computed"}}),
        .sweep = {{{"settle", 12000}}},
        .survey = {{{"settle", 60000}},
                   {{"width", 16384}, {"height", 16384}},
                   {{"width", 16384}, {"height", 16384}, {"settle", 60000}}},
        .overlaps = true  // passes are short: the gaps between them count
    });
  }
};

const Registration registered{std::make_unique<Sparse>()};

}  // namespace
}  // namespace ratchet::life
