// life/opencl/01_basic
// Changed:  the adder network of the CPU on 64 cells at a time, a work-item two words (one as in the
//           text: `words` 1), one generation a launch; neighbours come from global memory.
// Why:      a GPU has thousands of cores; OpenCL reaches them, and the CPU's through PoCL.
// Expected: bound by memory: a word is read six times, five of them from a cache, and written once
//           a generation, 8 bytes for 32 cells. On an H200 (4.2 TB/s) at most 16e12, on two cores
//           some 20e9 cell updates a second.
//           In fact with a word an item in groups of 64 it was a third of that: groups cannot be
//           started faster. One code for all items, which chose word by word, was slower, too.
// Source:   Dijkstra and Brouwer, "OpenCL".
#include <string>

#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_01_basic.cl.h"

namespace ratchet::life {
namespace {

std::uint64_t covering(std::uint64_t all, std::uint64_t each) { return (all + each - 1) / each; }

std::string options_of(const Parameters& parameters) {
  return "-DWORDS=" + std::to_string(parameters.at("words"));
}

/// Both numbers of words where a GPU is full, and the article's at the default size.
std::vector<ParameterPoint> survey() {
  return joined(joined(opencl_survey(), {{{"words", 1}}}),
                squares({65536}, {{"steps", 96}, {"words", 1}}));
}

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  LaunchShape launch;
  const std::uint64_t groups = covering(parameters.at("height"), group);
  launch.global =
      cl::NDRange(groups * group, covering(columns_of(parameters), parameters.at("words")));
  launch.local = cl::NDRange(group, 1);
  return launch;
}

const Registration registered{opencl_stage(
    stage_info({.name = RATCHET_STAGE,
                .summary = "one generation a launch, 64 cells a work-item",
                .source = text("OpenCL"),
                .parameters =
                    opencl_parameters(128, {{"words", 2, 1, 2, "words of 32 cells a work-item"}}),
                .survey = survey()}),
    {opencl_01_basic_cl, launch_of, options_of})};

}  // namespace
}  // namespace ratchet::life
