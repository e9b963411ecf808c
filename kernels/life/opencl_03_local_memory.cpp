// life/opencl/03_local_memory
// Changed:  the work-items of a group exchange rows through local memory; before, through global.
// Why:      local memory is faster, and only work-items of the group have to see the rows.
// Expected: a good deal on a GPU, whose local memory lies in the processors. Nothing on a CPU:
//           there both are the same memory, in the same cache.
// Got:      10.8e12 {= nvidia-h200 /s} cell updates/s (H200, 65536 x 65536, 96 steps, by the
//           queue's events); 9.60e12 in groups of 256, every band masked. The authors' kernel,
//           which has no border, makes 11.6e12 in groups of 512 with one row an item.
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
