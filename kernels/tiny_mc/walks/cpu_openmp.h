// A CPU stage whose tasks are spread over threads by OpenMP.
#pragma once

#include "kernels/tiny_mc/walks/cpu_stage.h"

namespace ratchet::tiny_mc {

/// Its parameters hold threads_parameter(). Tasks are handed
/// out one by one as threads become free, and their tallies added in the order of their index: the
/// result is that of one thread, bit for bit.
class OpenMpStage final : public CpuStage {
 public:
  using CpuStage::CpuStage;
  std::unique_ptr<Transport> prepare_transport(const Parameters& parameters) const override;
};

}  // namespace ratchet::tiny_mc
