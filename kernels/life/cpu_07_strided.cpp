// life/cpu/07_strided
#include "kernels/life/cpu_strided.h"

namespace ratchet::life {
namespace {

StageInfo info() {
  StageInfo info = cpu_stage_info("life/cpu/07_strided",
                                  "Strided bits, shared column sums, several generations in a pass",
                                  "ratchet", {"cpu.vector_ops", kStridedOpsPerCell}, 512);
  info.parameters.push_back(torus_parameter());
  return info;
}

const Registration registered{std::make_unique<CpuStage>(info(), &make_strided_universe)};

}  // namespace
}  // namespace ratchet::life
