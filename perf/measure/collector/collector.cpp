// libratchet_collector.so: the time that a GPU works for a Google Benchmark program of anybody's,
// which is not rebuilt. `ratchet gate --device-time` puts it into the program by two variables:
//
//   LD_PRELOAD             its clock_gettime() comes before the C library's. Google Benchmark's
//   timer
//                          reads a CPU clock once where it starts and once where it stops,
//                          since 1.5 and however it is linked; so the readings tell what is timed
//                          and what is not.
//   CUDA_INJECTION64_PATH  CUDA calls its InitializeInjection() before the first of its own calls.
//
// What is launched between a start and its stop carries the number of that stretch by external
// correlation; of the last stretch, which Google Benchmark reports, the durations are written to
// the file that kCollectedFile names when the program ends.
#include <dlfcn.h>
#include <time.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>

#include "perf/measure/collector/collected.h"
#include "perf/measure/timers/cupti_session.h"
#include "perf/measure/timers/timer.h"

namespace ratchet::timing {

// Of the sources that the collector shares with ratchet's timer. What is attached here is the
// collector itself, and beside another profiler CUPTI refuses to be enabled.
std::string attached_profiler() { return ""; }
// Nor does anybody ask here what was launched, of which the sources keep a digest.
DeviceWork work_of(const KernelShape&) { return {}; }
DeviceWork work_of_transfer(std::uint64_t, std::uint64_t) { return {}; }

namespace {

/// Never destroyed: CUPTI's threads and the program's may outlive main().
std::atomic<const CuptiSession*> session{nullptr};
std::atomic<std::uint64_t> last_id{kHarnessId};
std::atomic<std::uint64_t> last_began_ns{0};

std::string& failure() {
  static std::string* const text = new std::string;
  return *text;
}

/// What one thread's timer does.
struct Stretch {
  bool running = false;
  bool marking = false;  ///< the collector's own calls are nobody's readings
  std::uint64_t id = 0;
  std::optional<CuptiSession::ExternalId> between, timed;
};
thread_local Stretch of_this_thread;

/// Lets CUPTI know what the thread does. Work between the stretches has an id of its own, so that
/// it is not taken for another thread's.
void tell(Stretch& stretch) {
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
    tell(stretch);
  } catch (const std::exception& error) {
    failure() = error.what();
  }
  stretch.marking = false;
}

/// Whether the code at this address may be a benchmark's: NVIDIA's libraries have timers of their
/// own.
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
  // Neither for the check of other profilers nor for what the program starts.
  unsetenv("CUDA_INJECTION64_PATH");
  std::atexit(leave);
  try {
    session = new CuptiSession(CuptiSession::Detail::device);
    tell(of_this_thread);  // the first call of CUDA may lie in a timed stretch
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
