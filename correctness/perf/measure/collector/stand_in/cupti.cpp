// A GPU and its driver for machines that have none, as libcupti.so.13. It calls an injected library
// as CUDA does. It returns the records that CUPTI would, of kernels whose times the program states.
#include <cupti.h>
#include <dlfcn.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "correctness/perf/measure/collector/stand_in/gpu.h"

namespace {

constexpr std::uint64_t first_ns = 1000;

/// A kernel; or, where `address` is not 0, an allocation or a release, at `begin_ns`.
struct Launched {
  std::uint64_t begin_ns, end_ns;
  std::uint32_t call;
  std::uint64_t external;  // 0: none
  std::uint64_t address = 0, bytes = 0;
  bool pinned = false;
};

struct Gpu {
  std::mutex mutex;
  std::uint64_t now_ns = first_ns;
  std::uint32_t calls = 0;
  std::vector<Launched> launched;
  bool kernels = false, memory = false;
  std::uint64_t last_address = 0;
  bool whole_graphs = false;  // records of graphs replace those of their nodes
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
};
Gpu& gpu() {
  static Gpu* const one = new Gpu;
  return *one;
}

thread_local std::vector<std::uint64_t> external_ids;

void inject() {
  const char* const path = std::getenv("CUDA_INJECTION64_PATH");
  if (!path) return;
  if (void* const library = dlopen(path, RTLD_NOW))
    if (const auto start = reinterpret_cast<int (*)()>(dlsym(library, "InitializeInjection")))
      start();
}

/// Records of two kinds: which call carried which id, and what the call launched.
template <class Record>
void append(std::vector<std::uint8_t>& bytes, const Record& record) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof record);
  std::memcpy(bytes.data() + at, &record, sizeof record);
}

std::vector<std::uint8_t> record_of_memory(const Launched& launch) {
  std::vector<std::uint8_t> bytes;
  CUpti_ActivityMemory3 memory{};
  memory.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
  memory.memoryOperationType = launch.bytes > 0 ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                                : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
  memory.memoryKind =
      launch.pinned ? CUPTI_ACTIVITY_MEMORY_KIND_PINNED : CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  memory.address = launch.address;
  memory.bytes = launch.bytes;
  memory.timestamp = launch.begin_ns;
  append(bytes, memory);
  return bytes;
}

std::vector<std::uint8_t> records_of(const Launched& launch) {
  if (launch.address != 0) return record_of_memory(launch);
  std::vector<std::uint8_t> bytes;
  if (launch.external != 0) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
    external.externalId = launch.external;
    external.correlationId = launch.call;
    append(bytes, external);
  }
  CUpti_ActivityKernel9 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.start = launch.begin_ns;
  kernel.end = launch.end_ns;
  kernel.correlationId = launch.call;
  append(bytes, kernel);
  return bytes;
}

/// The program's calls, each of which enters the driver.
void call(const std::function<void(Gpu&, std::uint64_t external)>& launches) {
  static std::once_flag once;
  std::call_once(once, inject);
  const std::lock_guard lock(gpu().mutex);
  launches(gpu(), external_ids.empty() ? 0 : external_ids.back());
}

void record(Gpu& on, std::uint64_t ns, std::uint64_t external) {
  if (on.kernels) on.launched.push_back({on.now_ns, on.now_ns + ns, on.calls, external});
}

}  // namespace

void launch_for(std::uint64_t ns) { launch_graph({ns}); }

void launch_graph(const std::vector<std::uint64_t>& ns) {
  call([&](Gpu& on, std::uint64_t external) {
    ++on.calls;
    const bool recorded = !on.whole_graphs || ns.size() == 1;
    for (const std::uint64_t each : ns) {
      if (recorded) record(on, each, external);
      on.now_ns += each;
    }
  });
}

std::uint64_t allocate(std::uint64_t bytes, bool pinned) {
  std::uint64_t address = 0;
  call([&](Gpu& on, std::uint64_t) {
    address = on.last_address += 256;
    if (on.memory) on.launched.push_back({++on.now_ns, 0, ++on.calls, 0, address, bytes, pinned});
  });
  return address;
}

void release(std::uint64_t address) {
  call([&](Gpu& on, std::uint64_t) {
    if (on.memory) on.launched.push_back({++on.now_ns, 0, ++on.calls, 0, address, 0});
  });
}

void launch_streams(const std::vector<std::uint64_t>& ns) {
  call([&](Gpu& on, std::uint64_t external) {
    for (const std::uint64_t each : ns) {
      ++on.calls;
      record(on, each, external);
    }
    on.now_ns += *std::max_element(ns.begin(), ns.end());
  });
}

extern "C" {

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  gpu().request = request;
  gpu().complete = complete;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  // As where another profiler is attached.
  if (std::getenv("STAND_IN_TAKEN")) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) gpu().kernels = true;
  if (kind == CUPTI_ACTIVITY_KIND_MEMORY2) {
    if (std::getenv("STAND_IN_NO_MEMORY")) return CUPTI_ERROR_INVALID_KIND;
    gpu().memory = true;
  }
  if (kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE) gpu().whole_graphs = true;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(uint32_t) {
  std::vector<Launched> launched;
  {
    const std::lock_guard lock(gpu().mutex);
    launched.swap(gpu().launched);
  }
  for (const Launched& launch : launched) {
    const std::vector<std::uint8_t> bytes = records_of(launch);
    uint8_t* buffer = nullptr;
    size_t size = 0, most = 0;
    gpu().request(&buffer, &size, &most);
    if (size < bytes.size()) return CUPTI_ERROR_OUT_OF_MEMORY;
    std::memcpy(buffer, bytes.data(), bytes.size());
    gpu().complete(nullptr, 0, buffer, size, bytes.size());
  }
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
  const auto size_of = [](const CUpti_Activity* one) {
    if (one->kind == CUPTI_ACTIVITY_KIND_MEMORY2) return sizeof(CUpti_ActivityMemory3);
    return one->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION
               ? sizeof(CUpti_ActivityExternalCorrelation)
               : sizeof(CUpti_ActivityKernel9);
  };
  uint8_t* next = *record ? reinterpret_cast<uint8_t*>(*record) + size_of(*record) : buffer;
  if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t, size_t* dropped) {
  *dropped = std::getenv("STAND_IN_DROPS") ? 1 : 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t id) {
  external_ids.push_back(id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, uint64_t* last) {
  if (external_ids.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  *last = external_ids.back();
  external_ids.pop_back();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(uint64_t* now) {
  const std::lock_guard lock(gpu().mutex);
  *now = gpu().now_ns;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, uint32_t, const char** name) {
  *name = "launch";
  return CUPTI_SUCCESS;
}

// As a tool of NVTX (NVTX_INJECTION64_PATH): each range that begins is a line of the file
// STAND_IN_RANGES, "domain: outer > inner".
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table_of) {
  static std::vector<std::string> open;
  NvtxFunctionTable core = nullptr;
  unsigned size = 0;
  const auto* const callbacks =
      static_cast<const NvtxExportTableCallbacks*>(table_of(NVTX_ETID_CALLBACKS));
  if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &core, &size)) return 0;
  const auto set = [&](int id, auto* function) {
    *core[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  };
  set(
      NVTX_CBID_CORE2_DomainCreateA,
      +[](const char* name) { return reinterpret_cast<nvtxDomainHandle_t>(strdup(name)); });
  set(
      NVTX_CBID_CORE2_DomainRegisterStringA, +[](nvtxDomainHandle_t, const char* text) {
        return reinterpret_cast<nvtxStringHandle_t>(strdup(text));
      });
  set(
      NVTX_CBID_CORE2_DomainRangePushEx,
      +[](nvtxDomainHandle_t domain, const nvtxEventAttributes_t* range) -> int {
        const char* const name = reinterpret_cast<const char*>(range->message.registered);
        open.push_back(open.empty() ? name : open.back() + " > " + name);
        std::ofstream(std::getenv("STAND_IN_RANGES"), std::ios::app)
            << reinterpret_cast<const char*>(domain) << ": " << open.back() << "\n";
        return 0;
      });
  set(
      NVTX_CBID_CORE2_DomainRangePop, +[](nvtxDomainHandle_t) -> int {
        open.pop_back();
        return 0;
      });
  return 1;
}
}
