// life/cpu/08_strided_threads
#include "kernels/life/cpu_strided.h"

namespace ratchet::life {
namespace {

StageInfo info() {
  StageInfo info = threaded_stage_info("life/cpu/08_strided_threads",
                                       "07 on a pool of threads, a band of rows each", "ratchet",
                                       {"cpu.vector_ops", kStridedOpsPerCell}, 512);
  info.parameters.push_back(torus_parameter());
  return info;
}

const Registration registered{std::make_unique<CpuStage>(info(), &make_strided_universe)};

}  // namespace
}  // namespace ratchet::life
