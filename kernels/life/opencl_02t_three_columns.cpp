// life/opencl/02t_three_columns
// Changed:  the text's first setup of several steps: three whole columns are simulated for 32
//           generations a launch, with 32 rows of padding above and below; in 02 half of the outer
//           columns, for 16.
// Why:      half the launches and passes over the field; and the text's step from the one setup to
//           the other can be measured.
// Expected: 29.2 % of the cells simulated count at 512 rows a group, where 46.9 % do in 02: 1.6
//           times the operations and the exchange for a cell that is kept. Half the launches save
//           little: a pass over the field costs no more than a launch of 01, so one or two of the
//           generations simulated here. Two thirds of 02's speed on an H200, then: some 6.3e12. On
//           a CPU less than half, for 02 has its 64 cells in one register there.
//           In fact a little less: the tile's 1.6 explain most of it; the rest is presumed to be
//           its three words of 32 cells, each shifted both ways across their seams, where 02 has
//           one of 64.
// Source:   Dijkstra and Brouwer, "Multi-Step Simulation".
#include <fmt/format.h>

#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_02t_three_columns.cl.h"
#include "kernels/contract/survey_only.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = RATCHET_STAGE;

/// Generations a launch: the cells of the word on either side of the one that is kept, and so the
/// rows of padding, PADDING of the kernel.
constexpr unsigned kSteps = 32;

/// Throws `Error` for a tile of padding alone.
LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  if (group <= 2 * kSteps)
    throw Error(
        fmt::format("{}: a work-group's tile has {} rows, of which {} are halo; choose a "
                    "larger group",
                    kName, group, 2 * kSteps));
  const std::uint64_t kept = group - 2 * kSteps;
  const std::uint64_t tiles =
      columns_of(parameters) * ((parameters.at("height") + kept - 1) / kept);
  return exchange_launch<3 * sizeof(cl_uint)>(kSteps, tiles, group);
}

const Registration registered{
    opencl_stage(stage_info({.name = kName,
                             .summary = "32 generations a launch on three whole columns",
                             .source = text("Multi-Step Simulation"),
                             .parameters = opencl_parameters(512),
                             .survey = opencl_survey()}),
                 {opencl_02t_three_columns_cl, launch_of, {}})};

const SurveyOnly surveyed{kName};  // what the text left for 02, which is gated

}  // namespace
}  // namespace ratchet::life
