// life/opencl/02_multi_step
// Changed:  up to 16 generations a launch, on tiles of 64 cells x a work-group's rows that overlap
//           by 16 cells on each side; between generations the work-items of a group exchange rows
//           through global memory.
// Why:      a launch and a pass over the field for 16 generations instead of one.
// Expected: 46.9 % of the cells simulated count at the text's 512 rows a group, so twice the
//           operations of 01, and 16 bytes a band and generation through the caches. Faster than 01
//           where memory is what bounds 01; on a CPU, whose caches hold a field, slower.
//           In fact slower than 01 on an H200, and more so when every work-item masked its cells
//           and asked for the tile's ends.
// Source:   Dijkstra and Brouwer, "Multi-Step Simulation".
#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_02_multi_step.cl.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = RATCHET_STAGE;

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  const std::uint64_t tiles =
      columns_of(parameters) *
      tiles_of(parameters.at("height"), static_cast<std::int64_t>(group) - 2 * kHalo, kName);
  return exchange_launch<sizeof(cl_ulong)>(kHalo, tiles, group);
}

const Registration registered{
    opencl_stage(stage_info({.name = kName,
                             .summary = "16 generations a launch, rows exchanged in global memory",
                             .source = text("Multi-Step Simulation"),
                             .parameters = opencl_parameters(512),
                             .survey = opencl_survey()}),
                 {opencl_02_multi_step_cl, launch_of, {}})};

}  // namespace
}  // namespace ratchet::life
