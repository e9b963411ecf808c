// The probes by device; other code uses peaks.h.
#pragma once

#include <vector>

#include "perf/measure/peaks/peaks.h"

namespace ratchet::peaks {

/// Names and kernels of the CUDA resources; empty in a build without CUDA.
std::vector<Probe> cuda_probes();
std::vector<Probe> cuda_memory_probes();   ///< part of cuda_probes()
std::vector<Probe> cuda_latency_probes();  ///< likewise
std::vector<Probe> cuda_thread_probes();   ///< likewise
std::vector<Probe> cuda_peer_probes();     ///< likewise
std::vector<Probe> cpu_probes();

/// One core's rates; see the files for what an operation is.
double cpu_scalar_ops_per_second();
double cpu_vector_ops_per_second();
double cpu_dram_bytes_per_second();

}  // namespace ratchet::peaks
