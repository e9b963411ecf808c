// The GPU of stand_in/cupti.cpp, as a program sees it.
#pragma once

#include <cstdint>

/// Launches a kernel that takes so long on the GPU's own clock, and no time here.
void launch_for(std::uint64_t ns);
