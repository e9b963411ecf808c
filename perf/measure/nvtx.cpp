#include "perf/measure/nvtx.h"

#if RATCHET_HAVE_CUDA
#include <nvtx3/nvToolsExt.h>

#include <map>

namespace ratchet::timing {
namespace {

/// The domain and its strings live as long as the process, as the tools expect.
nvtxDomainHandle_t domain() {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("ratchet");
  return handle;
}

nvtxStringHandle_t registered(const std::string& name) {
  thread_local std::map<std::string, nvtxStringHandle_t> strings;
  auto [entry, added] = strings.try_emplace(name);
  if (added) entry->second = nvtxDomainRegisterStringA(domain(), name.c_str());
  return entry->second;
}

}  // namespace

NvtxRange::NvtxRange(const std::string& name) {
  nvtxEventAttributes_t attributes{};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = registered(name);
  nvtxDomainRangePushEx(domain(), &attributes);
}

NvtxRange::~NvtxRange() { nvtxDomainRangePop(domain()); }

}  // namespace ratchet::timing
#else
namespace ratchet::timing {

NvtxRange::NvtxRange(const std::string&) {}
NvtxRange::~NvtxRange() = default;

}  // namespace ratchet::timing
#endif
