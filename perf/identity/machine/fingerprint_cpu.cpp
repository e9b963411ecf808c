#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

#include "perf/identity/machine/fingerprint.h"

#ifndef RATCHET_CXX_FLAGS
#error \
    "CMakeLists.txt of this folder defines RATCHET_CXX_FLAGS and RATCHET_BUILD_TYPE for this file"
#endif

namespace ratchet {
namespace {

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

// Counted before main(), so that a benchmark that pins its threads does not change the fingerprint.
const int cores_at_start = usable_cores();

/// The value of the first "key : value" line of /proc/cpuinfo, or "unknown".
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    if (line.substr(0, end + 1) != key) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    return start == std::string::npos ? "unknown" : line.substr(start);
  }
  return "unknown";
}

std::string memory_gib() {
  const std::int64_t bytes =
      static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  if (bytes <= 0) return "unknown";
  constexpr std::int64_t step = std::int64_t{4} << 30;
  return std::to_string((bytes + step - 1) / step * 4);
}

std::string kernel() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + " " + name.release;
}

std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GNU " __VERSION__;
#else
  return "unknown";
#endif
}

std::string single_spaced(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == ' ' && (result.empty() || result.back() == ' ')) continue;
    result += c;
  }
  while (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

}  // namespace

std::map<std::string, std::string> cpu_fields() {
  return {{"cpu.model", cpuinfo("model name")},
          {"cpu.id", cpuinfo("vendor_id") + " " + cpuinfo("cpu family") + "/" + cpuinfo("model") +
                         "/" + cpuinfo("stepping")},
          {"cpu.cores", std::to_string(cores_at_start)},
          {"cpu.memory_gib", memory_gib()},
          {"os.kernel", kernel()}};
}

std::map<std::string, std::string> build_fields() {
  return {{"build.compiler", compiler()},
          {"build.flags", single_spaced(RATCHET_CXX_FLAGS)},
          {"build.type", RATCHET_BUILD_TYPE}};
}

}  // namespace ratchet
