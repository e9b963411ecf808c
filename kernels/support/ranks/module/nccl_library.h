// NCCL's functions, loaded at run time: a build needs only its header, and a job on CPUs needs
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

  /// Loaded once: the file RATCHET_NCCL, the loader's libnccl.so.2, or the library found by the
  /// build. Throws `Error`.
  static const NcclLibrary& get();
  /// Throws `Error` with `call` and NCCL's message, unless `result` is success.
  void check(ncclResult_t result, const char* call) const;
};

}  // namespace ratchet::ranks
