#include "nccl_library.h"

#include <dlfcn.h>

#include <cstdlib>

#include "perf/support/error.h"

namespace ratchet::ranks {
namespace {

void* open_library() {
  if (const char* named = std::getenv("RATCHET_NCCL"); named && *named) {
    if (void* library = dlopen(named, RTLD_NOW)) return library;
    throw Error(std::string("cannot load NCCL: RATCHET_NCCL is ") + named + ": " + dlerror() +
                "; set it to the path of libnccl.so.2, or unset it");
  }
  for (const char* file : {"libnccl.so.2", RATCHET_NCCL_LIBRARY})
    if (void* library = dlopen(file, RTLD_NOW)) return library;
  throw Error(
      "cannot load NCCL: there is no libnccl.so.2; install the package libnccl2, or set "
      "RATCHET_NCCL "
      "to the path of the library (Python's nvidia-nccl-cu13 has one)");
}

class Lookup {
 public:
  explicit Lookup(void* library) : library_(library) {}
  template <class Function>
  void operator()(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (!function)
      throw Error(std::string("cannot use NCCL: it has no ") + name + "; install a newer libnccl2");
  }

 private:
  void* library_;
};

NcclLibrary opened() {
  const Lookup look_up(open_library());
  NcclLibrary nccl;
  look_up(nccl.get_unique_id, "ncclGetUniqueId");
  look_up(nccl.init_rank, "ncclCommInitRankConfig");
  look_up(nccl.abort, "ncclCommAbort");
  look_up(nccl.async_error, "ncclCommGetAsyncError");
  look_up(nccl.all_reduce, "ncclAllReduce");
  look_up(nccl.broadcast, "ncclBroadcast");
  look_up(nccl.send, "ncclSend");
  look_up(nccl.receive, "ncclRecv");
  look_up(nccl.group_start, "ncclGroupStart");
  look_up(nccl.group_end, "ncclGroupEnd");
  look_up(nccl.error_string, "ncclGetErrorString");
  return nccl;
}

}  // namespace

const NcclLibrary& NcclLibrary::get() {
  static const NcclLibrary nccl = opened();
  return nccl;
}

void NcclLibrary::check(ncclResult_t result, const char* call) const {
  if (result != ncclSuccess)
    throw Error(std::string("NCCL: ") + call + " failed: " + error_string(result) +
                "; NCCL_DEBUG=INFO prints the cause");
}

}  // namespace ratchet::ranks
