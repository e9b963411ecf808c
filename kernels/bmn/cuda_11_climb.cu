// bmn/cuda/11_climb
// Changed:  deals are chosen: each of many climbers goes to the longest game a swap away, again and
//           again; the games are played by 08.
// Why:      the text looks for the longest game, and a long game's neighbours may be longer.
// Expected: half the deals a second of 08: games are longer, and a round of them must be over
//           before the next.
//           In fact it hardly pays: a swap makes nearly a new game (BmnSwaps.MakeNearlyANewGame).
// Source:   ratchet
#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/search/climb.h"

namespace ratchet::bmn {
namespace {

using search::Climber;
using search::ClimbPlan;

struct Judge : lean_links::Tuning {
  using Source = lean_links::Shuffles;
};

/// Capped candidates of a run.
struct Capped {
  unsigned long long count;
  Deal deal[kCappedKept];
};

__global__ void begin_all(ClimbPlan plan, const ShuffleTables* tables, Climber* climbers) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= plan.climbers) return;
  Climber climber;
  search::begin(climber, plan, number, *tables);
  climbers[number] = climber;
}

__global__ void make_candidates(ClimbPlan plan, std::uint32_t round, const Climber* climbers,
                                Deal* deals) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= plan.climbers * plan.candidates) return;
  const unsigned number = at / plan.candidates;
  deals[at] = search::candidate(climbers[number], plan, number, round, at % plan.candidates);
}

__global__ void choose_all(ClimbPlan plan, const ShuffleTables* tables, const Deal* deals,
                           const Outcome* outcomes, Climber* climbers, Capped* capped) {
  const unsigned number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= plan.climbers) return;
  deals += number * plan.candidates;
  outcomes += number * plan.candidates;
  for (unsigned k = 0; k < plan.candidates; ++k) {
    if (outcomes[k].winner != kNobody) continue;
    const unsigned long long place = atomicAdd(&capped->count, 1ull);
    if (place < kCappedKept) capped->deal[place] = deals[k];
  }
  search::choose(climbers[number], plan, number, deals, outcomes, *tables);
}

class CudaClimb final : public search::Climb {
 public:
  explicit CudaClimb(const Parameters& parameters)
      : plan_(search::plan_of(parameters)),
        rounds_(static_cast<std::uint32_t>(parameters.at("rounds"))),
        shape_(lean_links::full_shape<Judge>(
            Parameters("a round", {{"deals", plan_.games(), 1, plan_.games(), ""}}))),
        tables_(upload_shuffle_tables()),
        totals_(1),
        climbers_(plan_.climbers),
        deals_(plan_.games()),
        outcomes_(plan_.games()),
        capped_(1) {
    totals_.zero();
    capped_.zero();
    deals_.zero();  // a Deal has two bytes that nobody writes, and it is copied whole
    begin_all<<<blocks(plan_.climbers), kThreads>>>(plan_, tables_.data(), climbers_.data());
    RATCHET_CUDA_LAUNCHED();
  }

  void run() override {
    RATCHET_CUDA(cudaMemsetAsync(capped_.data(), 0, sizeof(unsigned long long)));
    for (std::uint32_t i = 0; i < rounds_; ++i) make_round(round_++);
  }
  void wait() override { RATCHET_CUDA(cudaDeviceSynchronize()); }
  std::uint64_t units() const override { return plan_.games() * rounds_; }
  search::ClimbResult collect() override {
    const std::vector<Capped> capped = capped_.download();
    search::ClimbResult result;
    result.deals = units();
    result.capped = capped[0].count;
    result.climbers = climbers_.download();
    result.capped_deals.assign(
        capped[0].deal, capped[0].deal + std::min<std::uint64_t>(result.capped, kCappedKept));
    return result;
  }

 private:
  static constexpr unsigned kThreads = 128;
  static unsigned blocks(std::uint64_t threads) {
    return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  }
  void make_round(std::uint32_t round) {
    make_candidates<<<blocks(plan_.games()), kThreads>>>(plan_, round, climbers_.data(),
                                                         deals_.data());
    RATCHET_CUDA_LAUNCHED();
    Job job;
    job.cap = plan_.cap;
    job.deals = plan_.games();
    job.given = deals_.data();
    job.each = outcomes_.data();
    lean_links::play_lean_links<Judge>
        <<<shape_.blocks, shape_.threads>>>(job, 0, tables_.data(), {}, totals_.data());
    RATCHET_CUDA_LAUNCHED();
    choose_all<<<blocks(plan_.climbers), kThreads>>>(
        plan_, tables_.data(), deals_.data(), outcomes_.data(), climbers_.data(), capped_.data());
    RATCHET_CUDA_LAUNCHED();
  }

  ClimbPlan plan_;
  std::uint32_t rounds_, round_ = 0;
  Shape shape_;
  DeviceBuffer<ShuffleTables> tables_;
  DeviceBuffer<Totals> totals_;
  DeviceBuffer<Climber> climbers_;
  DeviceBuffer<Deal> deals_;
  DeviceBuffer<Outcome> outcomes_;
  DeviceBuffer<Capped> capped_;
};

class CudaClimbStage final : public search::ClimbStage {
 public:
  CudaClimbStage()
      : ClimbStage(search::climb_info({.name = RATCHET_STAGE,
                                       .summary = "Search: hill climbing by swaps, judged by 08",
                                       .source = "ratchet",
                                       .parameters = search::climb_parameters(1 << 20, 20)})) {}
  std::unique_ptr<search::Climb> prepare_climb(const Parameters& parameters) const override {
    return std::make_unique<CudaClimb>(parameters);
  }
};

const Registration registered{std::make_unique<CudaClimbStage>()};

}  // namespace
}  // namespace ratchet::bmn
