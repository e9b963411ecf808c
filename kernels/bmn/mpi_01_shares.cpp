// bmn/mpi/01_shares
// Changed:  04 on several processes: each plays an even share of the deals, the records are merged
//           in the order of the ranks.
// Why:      games share nothing, and a record is 2 KB. A deal is a function of its index, so that
//           any number of ranks plays the same games and finds the same counts, longest games and
//           games that do not end, bit for bit. (Of more than 4096 of the last, those that are kept
//           are the first that were found: with more than one rank others of them may be.)
// Expected: as many times 04 as there are ranks, each on a CPU of its own.
// Source:   ratchet.

#include "kernels/bmn/ranked/shares.h"
#include "kernels/contract/stage_part.h"

namespace ratchet::bmn {
namespace {

class PlanesStage final : public SharesStage {
 public:
  using SharesStage::SharesStage;
  std::unique_ptr<ranks::Part> make_part(const Parameters& parameters, const ranks::Place& place,
                                         ranks::Start) const override {
    return make_shares_part(parameters, place, play_share_on_cpu);
  }

 protected:
  const BmnStage& played_by() const override {
    return dynamic_cast<const BmnStage&>(*find_part<"bmn/cpu/04_planes">());
  }
};

const Registration registered{std::make_unique<PlanesStage>(ranks::ranked_info(
    stage_info({.name = RATCHET_STAGE,
                .summary = "04_planes on several processes, the same games on any number",
                .source = "ratchet",
                .parameters = common_parameters(4'000'000)})))};

}  // namespace
}  // namespace ratchet::bmn
