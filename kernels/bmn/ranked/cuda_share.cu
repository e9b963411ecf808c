// share_player_on_gpu(): what cuda/08 plays a run with, for deals of any index.
#include <algorithm>

#include "kernels/bmn/lean_links/lean_links.cuh"
#include "kernels/bmn/ranked/shares.h"

namespace ratchet::bmn {
namespace {

/// As cuda/08, of a type of its own, so that 08's kernel stays the one of its own file.
struct ShareLinks : lean_links::Tuning {
  using Source = lean_links::Shuffles;
};

class SharePlayer {
 public:
  explicit SharePlayer(const Parameters& parameters)
      : shape_(lean_links::full_shape<ShareLinks>(parameters)),
        tables_(upload_shuffle_tables()),
        totals_(1) {}

  Result operator()(const HostJob& share) const {
    RATCHET_CUDA(cudaMemsetAsync(totals_.data(), 0, totals_.bytes(), cudaStreamLegacy));
    Job job;
    job.seed = share.seed;
    job.cap = share.cap;
    // Launches are cut where a lane's 32-bit sums ask for it.
    const std::uint64_t most = shape_.warps() * kWarpShare;
    for (job.first = share.first; job.first < share.end; job.first += job.deals) {
      job.deals = std::min(share.end - job.first, most);
      lean_links::play_lean_links<ShareLinks>
          <<<shape_.blocks, shape_.threads>>>(job, share.first, tables_.data(), {}, totals_.data());
      RATCHET_CUDA_LAUNCHED();
    }
    return result_of(
        totals_.download().front(), [](std::uint64_t) { return Deal{}; }, share.first);
  }

 private:
  Shape shape_;
  DeviceBuffer<ShuffleTables> tables_;
  DeviceBuffer<Totals> totals_;
};

}  // namespace

PlayShare share_player_on_gpu(const Parameters& parameters) {
  // A function is copied with what it holds, and buffers are not.
  return [player = std::make_shared<SharePlayer>(parameters)](const HostJob& share) {
    return (*player)(share);
  };
}

}  // namespace ratchet::bmn
