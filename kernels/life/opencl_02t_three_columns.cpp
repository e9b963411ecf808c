// life/opencl/02t_three_columns
// Changed:  the text's first setup of several steps: three whole columns are simulated for 32
//           generations a launch, with 32 rows of padding above and below; in 02 half of the outer
//           columns, for 16.
// Why:      half the launches and passes over the field; and the text's step from the one setup to
//           the other can be measured.
// Expected: 29.2 % of the cells simulated count at 512 rows a group, where 46.9 % do in 02: 1.6
//           times the operations and the exchange for a cell that is kept. From 01, a pass over the
//           field costs one or two of the 32 generations. So slower than 02, by half.
// Source:   Dijkstra and Brouwer, "Multi-Step Simulation".
#include <algorithm>

#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_02t_three_columns.cl.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = "life/opencl/02t_three_columns";

/// Generations a launch: the cells of the word on either side of the one that is kept, and so the
/// rows of padding, PADDING of the kernel.
constexpr unsigned kSteps = 32;

/// As 02 has it: two rows a work-item, three words each; groups beyond that take turns.
constexpr std::uint64_t kExchangeBytes = std::uint64_t{16} << 20;

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  const std::uint64_t tiles =
      columns_of(parameters) * tiles_of(parameters.at("height"),
                                        static_cast<std::int64_t>(group) - 2 * kSteps, kName,
                                        kSteps);
  const std::uint64_t bytes = 2 * 3 * sizeof(cl_uint) * (group + 2);
  const std::uint64_t groups = std::min(tiles, kExchangeBytes / bytes);
  LaunchShape launch;
  launch.generations = kSteps;
  launch.global = cl::NDRange(groups * group);
  launch.local = cl::NDRange(group);
  launch.global_bytes = groups * bytes;
  return launch;
}

const Registration registered{
    opencl_stage(stage_info({.name = kName,
                             .summary = "32 generations a launch on three whole columns",
                             .source = text("Multi-Step Simulation"),
                             .parameters = opencl_parameters(512),
                             .survey = opencl_survey()}),
                 {opencl_02t_three_columns_cl, launch_of, {}})};

}  // namespace
}  // namespace ratchet::life
