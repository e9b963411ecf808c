// The ranks' CUDA functions, for callers without CUDA.
#pragma once

#include <string>

struct CUstream_st;

namespace ratchet::ranks {

/// The GPU of a rank, as a value of CUDA_VISIBLE_DEVICES: entry `local_rank` of `visible`, the
/// current value ("" if it is not set). A list of one entry stays, since the launcher assigned it.
/// "-1", none, if the list is too short.
std::string visible_gpu(const std::string& visible, unsigned local_rank);

/// The number of GPUs visible to this process; 0 in a build without CUDA.
unsigned visible_gpus();

/// The UUID of the current device; "" without one.
std::string gpu_identity();

/// Blocks until all work on the stream has ended; yields the CPU meanwhile. Throws `Error` on a
/// device fault.
void wait_for_stream(CUstream_st* stream);
/// Whether all work on the stream has ended. Throws likewise.
bool stream_is_idle(CUstream_st* stream);

}  // namespace ratchet::ranks
