// libratchet_collector.so: measures the GPU time of a third-party Google Benchmark program without
// rebuilding it. `ratchet gate --device-time` loads it by two variables:
//
//   LD_PRELOAD             its clock_gettime() replaces the C library's. Since version 1.5, Google
//                          Benchmark's timer reads a CPU clock once when it starts and once when it
//                          stops. So the readings delimit the timed stretches.
//   CUDA_INJECTION64_PATH  CUDA calls its InitializeInjection() at initialization.
//
// External correlation marks the work that is launched between a start and its stop with the number
// of the stretch. When the program ends, the collector writes the durations of the last stretch,
// which Google Benchmark reports, to the file kCollectedFile; and how much device memory the
// program held.
#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perf/measure/collector/collected.h"
#include "perf/measure/timers/cupti_session.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

// Replaces a function of ratchet's timer. The collector itself is the attached profiler here, and
// CUPTI refuses to be enabled together with another one.
std::string attached_profiler() { return ""; }
// Replace functions of ratchet's timer: the collector needs no digest of the launched work.
DeviceWork work_of(const KernelShape&) { return {}; }
DeviceWork work_of_transfer(std::uint64_t, std::uint64_t) { return {}; }

namespace {

/// What CUPTI's threads report of device memory.
struct Memory {
  std::mutex mutex;
  bool recorded = false;
  std::vector<MemoryOperation> operations;
};
Memory& memory() {
  static Memory* const one = new Memory;
  return *one;
}

/// Of pinned and pageable memory of the host nothing.
bool lies_on_device(CUpti_ActivityMemoryKind kind) {
  return kind != CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN &&
         kind != CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE && kind != CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
}

}  // namespace

void take_memory(const CUpti_ActivityMemory3& record) {
  if (!lies_on_device(record.memoryKind)) return;
  const std::lock_guard lock(memory().mutex);
  memory().operations.push_back(
      {record.timestamp, record.address, record.bytes,
       record.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION});
}

namespace {

/// Never destroyed: CUPTI's threads and the program's may outlive main().
std::atomic<const CuptiSession*> session{nullptr};
std::atomic<std::uint64_t> last_id{kHarnessId};
std::atomic<std::uint64_t> last_began_ns{0};

std::string& failure() {
  static std::string* const text = new std::string;
  return *text;
}

/// The state of one thread's timer.
struct Stretch {
  bool running = false;
  bool marking = false;  ///< inside the collector's own calls, which do not count as readings
  std::uint64_t id = 0;
  std::optional<CuptiSession::ExternalId> between, timed;
};
thread_local Stretch of_this_thread;

/// Marks the thread's work for CUPTI. Work between the stretches has its own id, so that it is not
/// attributed to a thread without a timer.
void mark(Stretch& stretch) {
  const CuptiSession* const cupti = session;
  if (!cupti) return;
  if (!stretch.between) stretch.between.emplace(*cupti, kHarnessId);
  stretch.timed.reset();
  if (!stretch.running) return;
  last_began_ns = cupti->now_ns();
  stretch.timed.emplace(*cupti, stretch.id);
}

void timer_turned() {
  Stretch& stretch = of_this_thread;
  if (stretch.marking) return;
  stretch.marking = true;
  stretch.running = !stretch.running;
  if (stretch.running) stretch.id = ++last_id;
  try {
    mark(stretch);
  } catch (const std::exception& error) {
    failure() = error.what();
  }
  stretch.marking = false;
}

/// Whether the code at this address may belong to a benchmark; NVIDIA's libraries have own timers.
bool may_time(void* caller) {
  Dl_info info{};
  if (!dladdr(caller, &info) || !info.dli_fname) return true;
  const char* const slash = std::strrchr(info.dli_fname, '/');
  const char* const name = slash ? slash + 1 : info.dli_fname;
  return std::strncmp(name, "libcu", 5) != 0 && std::strncmp(name, "libnv", 5) != 0;
}

void leave() {
  const char* const path = std::getenv(kCollectedFile);
  if (!path) return;
  Collected what{0, 0, failure()};
  if (what.failure.empty()) {
    try {
      what =
          collected(const_cast<CuptiSession*>(session.load())->collect(), last_id, last_began_ns);
      const std::lock_guard lock(memory().mutex);
      if (memory().recorded) what.peak_bytes = peak_bytes(std::exchange(memory().operations, {}));
    } catch (const std::exception& error) {
      what.failure = error.what();
    }
  }
  if (std::FILE* file = std::fopen(path, "w")) {
    std::fputs(to_line(what).c_str(), file);
    std::fclose(file);
  }
}

void connect() {
  // Hides it from the check for other profilers and from child processes.
  unsetenv("CUDA_INJECTION64_PATH");
  std::atexit(leave);
  try {
    session = new CuptiSession(CuptiSession::Detail::device);
    // A CUPTI without these records times all the same.
    memory().recorded = CuptiLibrary::get().enable(CUPTI_ACTIVITY_KIND_MEMORY2) == CUPTI_SUCCESS;
    mark(of_this_thread);  // the first CUDA call may lie in a timed stretch
  } catch (const std::exception& error) {
    failure() = error.what();
  }
}

}  // namespace
}  // namespace ratchet::timing

extern "C" {

__attribute__((visibility("default"))) int InitializeInjection() {
  ratchet::timing::connect();
  return 1;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* now) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  const int result = real(clock, now);
  const bool of_cpu = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID;
  if (of_cpu && ratchet::timing::may_time(__builtin_return_address(0)))
    ratchet::timing::timer_turned();
  return result;
}
}
