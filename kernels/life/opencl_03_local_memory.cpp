// life/opencl/03_local_memory
// Changed:  the work-items of a group exchange rows through local memory; before, through global.
// Why:      local memory is faster, and only work-items of the group have to see the rows.
// Expected: a good deal on a GPU, whose local memory lies in the processors. Nothing on a CPU:
//           there both are the same memory, in the same cache.
//           In fact groups of 256, every band masked, were slower.
// Source:   Dijkstra and Brouwer, "Shared Memory".
#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_03_local_memory.cl.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = RATCHET_STAGE;

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  LaunchShape launch;
  launch.generations = kHalo;
  const std::uint64_t tiles =
      tiles_of(parameters.at("height"), static_cast<std::int64_t>(group) - 2 * kHalo, kName);
  launch.global = cl::NDRange(tiles * group, columns_of(parameters));
  launch.local = cl::NDRange(group, 1);
  launch.local_bytes = 2 * sizeof(cl_ulong) * (group + 2);
  return launch;
}

const Registration registered{
    opencl_stage(stage_info({.name = kName,
                             .summary = "02 with rows exchanged in local memory",
                             .source = text("Shared Memory"),
                             .parameters = opencl_parameters(512),
                             .survey = opencl_survey()}),
                 {opencl_03_local_memory_cl, launch_of, {}})};

}  // namespace
}  // namespace ratchet::life
