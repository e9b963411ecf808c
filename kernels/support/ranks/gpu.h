// What ranks need of CUDA, without needing CUDA to ask.
#pragma once

#include <string>

struct CUstream_st;

namespace ratchet::ranks {

/// Which GPU of its host a rank takes, as CUDA_VISIBLE_DEVICES: rank `local_rank`'s of `visible`,
/// what that variable says now ("" where it is not set). A list of one was dealt out by the
/// launcher, and stays. "-1", none, where a list has no more.
std::string visible_gpu(const std::string& visible, unsigned local_rank);

/// GPUs that this process sees; 0 in a build without CUDA.
unsigned visible_gpus();

/// Which GPU of which machine the current device is, as its UUID; "" without one.
std::string gpu_identity();

/// Blocks until everything enqueued on the stream has ended; yields the CPU meanwhile. Throws
/// `Error` on a device fault.
void wait_for_stream(CUstream_st* stream);
/// Whether it has. Throws likewise.
bool stream_is_idle(CUstream_st* stream);

}  // namespace ratchet::ranks
