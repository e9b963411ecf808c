// NCCL's functions, looked up at run time: a build needs its header alone, and a job on CPUs
// nothing.
#pragma once

#include <nccl.h>

#include <string>

namespace ratchet::ranks {

struct NcclLibrary {
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRankConfig) init_rank;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclBroadcast) broadcast;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclGetErrorString) error_string;

  /// Opened once: what RATCHET_NCCL names, the loader's libnccl.so.2, or the one that was there
  /// when this was built. Throws `Error`.
  static const NcclLibrary& get();
  /// Throws `Error` with `call` and what NCCL says, unless `result` is success.
  void check(ncclResult_t result, const char* call) const;
};

}  // namespace ratchet::ranks
