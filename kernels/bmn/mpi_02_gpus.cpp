// bmn/mpi/02_gpus
// Changed:  cuda/08 on several GPUs, a rank each: every rank plays an even share of the deals on
//           its own, the records are merged as in 01.
// Why:      a deal is a function of its index, so that any number of GPUs plays the same games, bit
//           for bit. A record is 2 KB once a run: through MPI it takes microseconds, and NCCL's
//           kernel alone takes more than that to start.
// Expected: as many times 08 as there are ranks: the last games of a share take 100 us of 93 ms,
//           copying and merging the records 50 us.
// Source:   ratchet.

#include "kernels/bmn/ranked/shares.h"
#include "kernels/support/cuda_device.h"
#include "kernels/contract/stage_part.h"

namespace ratchet::bmn {
namespace {

class GpusStage final : public SharesStage {
 public:
  using SharesStage::SharesStage;
  Availability availability() const override { return ranks::mpi_gpu_availability(); }
  bool takes_gpus() const override { return true; }
  std::optional<ranks::Traffic> traffic(const Parameters&) const override {
    return ranks::Traffic{.pattern = ranks::Traffic::Pattern::gather, .bytes = sizeof(Result)};
  }
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
#ifdef RATCHET_HAVE_CUDA
    if (place.gpu) return make_shares_part(parameters, place, share_player_on_gpu(parameters));
#endif
    return make_shares_part(parameters, place, play_share_on_cpu);
  }

 protected:
  const BmnStage& played_by() const override {
    return dynamic_cast<const BmnStage&>(cuda_availability().ok
                                             ? *find_part<"bmn/cuda/08_lean_links">()
                                             : *find_part<"bmn/cpu/04_planes">());
  }
};

constexpr std::uint64_t kDeals = 500'000'000;

const Registration registered{std::make_unique<GpusStage>(ranks::ranked_info(
    stage_info({.name = RATCHET_STAGE,
                .summary = "08_lean_links on several GPUs, the same games on any number",
                .source = "ratchet",
                .parameters = common_parameters(kDeals),
                .survey = ranks::weak_scaling("deals", kDeals)})))};

}  // namespace
}  // namespace ratchet::bmn
