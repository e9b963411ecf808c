#include "perf/measure/timers/cupti_session.h"

#include <cstdlib>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "perf/support/error.h"

namespace ratchet::timing {
namespace {

// Any size works; small buffers return soon, large ones touch more memory.
constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::size_t kBufferAlignment = 8;  // ACTIVITY_RECORD_ALIGNMENT of the CUPTI samples

/// The target of the callbacks, which run on CUPTI's threads and carry no user data.
struct Sink {
  std::mutex mutex;
  const CuptiLibrary* cupti = nullptr;
  bool calls = false;  // keep API calls, and the names of everything
  std::size_t dropped = 0;
  std::vector<Activity> pending;
  std::unordered_map<std::uint32_t, std::uint64_t> external;  // by correlation id
};
Sink& sink() {
  static Sink* const one = new Sink;  // outlives CUPTI's threads
  return *one;
}

const char* call_name(const CuptiLibrary& cupti, CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  const char* name = nullptr;
  return cupti.callback_name(domain, id, &name) == CUPTI_SUCCESS && name ? name : "unknown";
}

template <class Record>
Activity activity(const Record& record, Activity::Kind kind, const char* name) {
  Activity result;
  result.kind = kind;
  result.begin_ns = record.start;
  result.end_ns = record.end;
  if (name) result.name = name;
  result.call = record.correlationId;
  return result;
}

DeviceWork work_of(const CUpti_ActivityKernel9& kernel) {
  const auto extent = [](auto x, auto y, auto z) {
    return std::array{static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
                      static_cast<std::uint32_t>(z)};
  };
  KernelShape shape;
  shape.grid = extent(kernel.gridX, kernel.gridY, kernel.gridZ);
  shape.block = extent(kernel.blockX, kernel.blockY, kernel.blockZ);
  shape.cluster = extent(kernel.clusterX, kernel.clusterY, kernel.clusterZ);
  shape.registers = kernel.registersPerThread;
  shape.static_shared_bytes = static_cast<std::uint32_t>(kernel.staticSharedMemory);
  shape.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.dynamicSharedMemory);
  shape.local_bytes = kernel.localMemoryPerThread;
  return work_of(shape);
}

template <class Record>
const Record& as(const CUpti_Activity* raw) {
  return *reinterpret_cast<const Record*>(raw);
}

// The record types of CUDA 12.0: later versions only append fields, so libraries of both major
// versions fit. A graph's nodes have records of these kinds with the correlation id of the graph's
// launch, unless CUPTI_ACTIVITY_KIND_GRAPH_TRACE is enabled, which replaces them by one record
// without kernels.
void take(const CUpti_Activity* raw, Sink& into) {
  using Kind = Activity::Kind;
  switch (raw->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& kernel = as<CUpti_ActivityKernel9>(raw);
      into.pending.push_back(activity(kernel, Kind::kernel, into.calls ? kernel.name : nullptr));
      into.pending.back().work = work_of(kernel);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = as<CUpti_ActivityMemcpy5>(raw);
      into.pending.push_back(activity(copy, Kind::transfer, "memcpy"));
      into.pending.back().work = work_of_transfer(copy.copyKind, copy.bytes);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = as<CUpti_ActivityMemset4>(raw);
      into.pending.push_back(activity(set, Kind::transfer, "memset"));
      into.pending.back().work = work_of_transfer(std::uint64_t{1} << 32 | set.value, set.bytes);
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      if (!into.calls) break;
      const bool runtime = raw->kind == CUPTI_ACTIVITY_KIND_RUNTIME;
      const auto domain = runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
      const auto& call = as<CUpti_ActivityAPI>(raw);
      into.pending.push_back(activity(call, runtime ? Kind::runtime_call : Kind::driver_call,
                                      call_name(*into.cupti, domain, call.cbid)));
      break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& record = as<CUpti_ActivityExternalCorrelation>(raw);
      into.external[record.correlationId] = record.externalId;
      break;
    }
#ifdef RATCHET_COLLECTOR  // in a build of its own: stages, which it times, keep their code
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      take_memory(as<CUpti_ActivityMemory3>(raw));
      break;
#endif
    default:
      break;
  }
}

void CUPTIAPI buffer_requested(uint8_t** buffer, size_t* size, size_t* max_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer ? kBufferBytes : 0;
  *max_records = 0;
}

void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t,
                               size_t valid) {
  Sink& into = sink();
  const std::lock_guard lock(into.mutex);
  const CuptiLibrary& cupti = *into.cupti;
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS)
    take(record, into);
  size_t dropped = 0;
  if (cupti.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS) into.dropped += dropped;
  std::free(buffer);
}

}  // namespace

CuptiSession::CuptiSession(Detail detail) : cupti_(CuptiLibrary::get()) {
  // External correlation ties ids to API calls, and CUPTI emits these records only together with
  // records of calls. So both API kinds are enabled, even if the calls are not needed.
  const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                      CUPTI_ACTIVITY_KIND_RUNTIME,
                                      CUPTI_ACTIVITY_KIND_DRIVER,
                                      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                      CUPTI_ACTIVITY_KIND_MEMCPY,
                                      CUPTI_ACTIVITY_KIND_MEMSET};
  {
    const std::lock_guard lock(sink().mutex);
    sink().cupti = &cupti_;
    sink().calls = detail == Detail::device_and_calls;
  }
  cupti_.check(cupti_.register_callbacks(buffer_requested, buffer_completed),
               "cuptiActivityRegisterCallbacks");
  try {
    for (const CUpti_ActivityKind kind : kinds) {
      cupti_.check(cupti_.enable(kind), "cuptiActivityEnable");
      enabled_.push_back(kind);
    }
  } catch (...) {
    disable_all();
    throw;
  }
}

CuptiSession::~CuptiSession() {
  disable_all();
  cupti_.flush_all(0);
}

void CuptiSession::disable_all() noexcept {
  for (const CUpti_ActivityKind kind : enabled_) cupti_.disable(kind);
}

CuptiSession::ExternalId::ExternalId(const CuptiSession& session, std::uint64_t id)
    : cupti_(session.cupti_) {
  cupti_.check(cupti_.push_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, id),
               "cuptiActivityPushExternalCorrelationId");
}

CuptiSession::ExternalId::~ExternalId() {
  uint64_t last = 0;
  cupti_.pop_external(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last);
}

std::uint64_t CuptiSession::now_ns() const {
  uint64_t now = 0;
  cupti_.check(cupti_.timestamp(&now), "cuptiGetTimestamp");
  return now;
}

std::vector<Activity> CuptiSession::collect() {
  cupti_.check(cupti_.flush_all(0), "cuptiActivityFlushAll");
  Sink& from = sink();
  const std::lock_guard lock(from.mutex);
  if (from.dropped > 0) {
    from.dropped = 0;
    throw Error("CUPTI dropped activity records; use RATCHET_TIMER=events");
  }
  for (Activity& each : from.pending) {
    if (const auto found = from.external.find(each.call); found != from.external.end())
      each.external = found->second;
  }
  from.external.clear();
  return std::exchange(from.pending, {});
}

}  // namespace ratchet::timing
