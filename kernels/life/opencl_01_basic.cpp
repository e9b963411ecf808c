// life/opencl/01_basic
// Changed:  the adder network of the CPU on 64 cells at a time, a work-item two words, one
//           generation a launch; neighbours come from global memory.
// Why:      a GPU has thousands of cores; OpenCL reaches them, and the CPU's through PoCL.
// Expected: bound by memory: a word is read six times, five of them from a cache, and written once
//           a generation, 8 bytes for 32 cells. On an H200 (4.2 TB/s) at most 16e12, on two cores
//           some 20e9 cell updates a second.
//           In fact with a word an item in groups of 64 it was a third of that: groups cannot be
//           started faster. One code for all items, which chose word by word, was slower, too.
// Source:   Dijkstra and Brouwer, "OpenCL".
#include "kernels/life/opencl/universe.h"
#include "kernels/life/opencl_01_basic.cl.h"

namespace ratchet::life {
namespace {

LaunchShape launch_of(const Parameters& parameters, std::size_t group) {
  LaunchShape launch;
  const std::uint64_t groups = (parameters.at("height") + group - 1) / group;
  launch.global = cl::NDRange(groups * group, (columns_of(parameters) + 1) / 2);
  launch.local = cl::NDRange(group, 1);
  return launch;
}

const Registration registered{
    opencl_stage(stage_info({.name = RATCHET_STAGE,
                             .summary = "one generation a launch, 64 cells a work-item",
                             .source = text("OpenCL"),
                             .parameters = opencl_parameters(128),
                             .survey = opencl_survey()}),
                 {opencl_01_basic_cl, launch_of, {}})};

}  // namespace
}  // namespace ratchet::life
