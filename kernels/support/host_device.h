// RATCHET_HD marks a function for host and device; empty for other compilers than CUDA's.
#pragma once

#if defined(__CUDACC__)
#define RATCHET_HD __host__ __device__
#else
#define RATCHET_HD
#endif
