// life/opencl/02s_steps_a_pass
// Changed:  the steps of a pass are a parameter, `halo`, since each costs a tile a cell of halo on
//           every side; in 02 they are 16. A tile's kept columns, 64 - 2 `halo`, share words with
//           those of the next tile unless they are 32, so that words are put together and taken
//           apart.
// Why:      the text calls 16 the best compromise between passes over the field and cells that are
//           simulated in vain, without a figure of any other number.
// Expected: 46.9 % of what is simulated counts with 16, 72.7 % with 8, 86.1 % with 4 and 22.7 %
//           with 24, at 512 rows a group. From 01, a launch a generation, a pass costs no more than
//           one or two generations on an H200. So 16 is too many there: 8 a third faster, 4 not
//           quite as much, 12 a fifth faster, 24 half as fast.
//           In fact 4 gain less than expected. 16 take what 02 takes, to 1 %.
// Source:   Dijkstra and Brouwer, "Multi-Step Simulation".
#include <fmt/format.h>

#include <string>
#include <utility>

#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_02s_steps_a_pass.cl.h"
#include "kernels/contract/survey_only.h"

namespace ratchet::life {
namespace {

constexpr char kName[] = RATCHET_STAGE;

std::uint64_t covering(std::uint64_t all, std::uint64_t each) { return (all + each - 1) / each; }

/// Of a pass. Throws `Error` where the columns kept would not be whole bytes.
std::uint64_t steps_of(const Parameters& parameters) {
  const std::uint64_t steps = parameters.at("halo");
  if (steps % 4 != 0)
    throw Error(
        fmt::format("{}: halo={}: choose a multiple of 4, so that the {} columns kept are "
                    "whole bytes",
                    kName, steps, 64 - 2 * steps));
  return steps;
}

/// Throws `Error` for a tile of halo alone.
LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  const std::uint64_t steps = steps_of(parameters);
  if (group <= 2 * steps)
    throw Error(
        fmt::format("{}: a work-group's tile has {} rows, of which {} are halo; choose a "
                    "larger group, or a smaller halo",
                    kName, group, 2 * steps));
  const std::uint64_t tiles = covering(parameters.at("width"), 64 - 2 * steps) *
                              covering(parameters.at("height"), group - 2 * steps);
  return exchange_launch<sizeof(cl_ulong)>(static_cast<unsigned>(steps), tiles, group);
}

std::string options_of(const Parameters& parameters) {
  return "-DSTEPS=" + std::to_string(steps_of(parameters));
}

/// Each number of steps at the one size where a GPU is full, and so alike.
std::vector<ParameterPoint> survey() {
  std::vector<ParameterPoint> points = opencl_survey();
  for (const std::uint64_t halo : {4, 8, 12, 20, 24})
    points = joined(std::move(points), squares({65536}, {{"steps", 96}, {"halo", halo}}));
  return points;
}

const Registration registered{opencl_stage(
    stage_info({.name = kName,
                .summary = "02 with the generations a launch as a parameter",
                .source = text("Multi-Step Simulation"),
                .parameters = opencl_parameters(
                    512, {{"halo", 16, 4, 28,
                           "generations a launch, and cells of halo on each side; times 4"}}),
                .survey = survey()}),
    {opencl_02s_steps_a_pass_cl, launch_of, options_of})};
const SurveyOnly swept{kName};  // at the default 02 is gated

}  // namespace
}  // namespace ratchet::life
