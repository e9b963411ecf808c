// RATCHET_HD marks a function for host and device; nothing where no CUDA compiler reads it.
#pragma once

#if defined(__CUDACC__)
#define RATCHET_HD __host__ __device__
#else
#define RATCHET_HD
#endif
