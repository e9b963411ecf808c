// The bodies of CPU stages that other stages spread over threads, or run beside a GPU.
#pragma once

#include "kernels/tiny_mc/cpu_support.h"

namespace ratchet::tiny_mc {

Body rejection_body();  ///< cpu_02_simd.cpp
Body direct_body();     ///< cpu_04_direct.cpp
Body radial_body();     ///< cpu_05_radial.cpp

}  // namespace ratchet::tiny_mc
