// life/opencl/04_work_per_item
// Changed:  a work-item simulates `rows` rows one above the other, 16 by default, in registers;
//           before, one. Only its first and last row go through local memory.
// Why:      fewer work-items to start, a sixteenth of the exchange, less halo in a taller tile.
// Expected: the largest step of the four: what is left are the operations. The text: 16 rows are
//           about best. A group of 64 work-items has 1024 rows, of which 97 % count.
// Source:   Dijkstra and Brouwer, "Work-Per-Thread".
#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_04_work_per_item.cl.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = RATCHET_STAGE;

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  LaunchShape launch;
  launch.generations = kHalo;
  const auto rows = static_cast<std::int64_t>(group * parameters.at("rows"));
  const std::uint64_t tiles = tiles_of(parameters.at("height"), rows - 2 * kHalo, kName);
  launch.global = cl::NDRange(tiles * group, columns_of(parameters));
  launch.local = cl::NDRange(group, 1);
  launch.local_bytes = 2 * 2 * sizeof(cl_ulong) * group;
  return launch;
}

std::string options_of(const Parameters& parameters) {
  return "-DROWS=" + std::to_string(parameters.at("rows"));
}

const Registration registered{opencl_stage(
    stage_info({.name = kName,
                .summary = "16 rows a work-item, the outermost exchanged in local memory",
                .source = text("Work-Per-Thread"),
                .parameters =
                    opencl_parameters(64, {{"rows", 16, 1, 64, "rows that a work-item simulates"}}),
                .survey = joined(opencl_survey(), grid({{"rows", {4, 8, 32}}}))}),
    {opencl_04_work_per_item_cl, launch_of, options_of})};

}  // namespace
}  // namespace ratchet::life
