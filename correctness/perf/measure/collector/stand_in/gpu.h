// The GPU of stand_in/cupti.cpp, as a program sees it.
#pragma once

#include <cstdint>
#include <vector>

/// Launches a kernel that takes so long on the GPU's own clock, and no time here.
void launch_for(std::uint64_t ns);

/// Kernels that follow each other, launched by one call, as the nodes of a graph.
void launch_graph(const std::vector<std::uint64_t>& ns);

/// Memory of the device; or, pinned, of the host. Returns its address.
std::uint64_t allocate(std::uint64_t bytes, bool pinned = false);
void release(std::uint64_t address);

/// Kernels that start at once, each launched by a call on its own stream.
void launch_streams(const std::vector<std::uint64_t>& ns);
