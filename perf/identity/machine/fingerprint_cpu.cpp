#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

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

/// The different values of the "key : value" lines of /proc/cpuinfo, in their order.
std::vector<std::string> values(const std::string& cpuinfo, const std::string& key) {
  std::vector<std::string> found;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t", colon == 0 ? 0 : colon - 1);
    if (line.substr(0, end + 1) != key) continue;
    const std::size_t start = line.find_first_not_of(" \t", colon + 1);
    const std::string value = start == std::string::npos ? "unknown" : line.substr(start);
    if (std::find(found.begin(), found.end(), value) == found.end()) found.push_back(value);
  }
  return found;
}

std::string first(const std::string& cpuinfo, const std::string& key) {
  const auto all = values(cpuinfo, key);
  return all.empty() ? "unknown" : all.front();
}

/// One processor may have cores of several kinds.
std::string every(const std::string& cpuinfo, const std::string& key) {
  std::string text;
  for (const std::string& value : values(cpuinfo, key)) text += (text.empty() ? "" : "+") + value;
  return text.empty() ? "unknown" : text;
}

std::string whole_cpuinfo() {
  std::ifstream file("/proc/cpuinfo");
  return std::string(std::istreambuf_iterator<char>(file), {});
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

std::map<std::string, std::string> processor_fields(const std::string& cpuinfo) {
  // AArch64 has no names there, but the numbers of MIDR_EL1. Some kernels put a board's name in a
  // line "model name", too.
  const std::string implementer = first(cpuinfo, "CPU implementer");
  if (implementer != "unknown")
    return {{"cpu.model", "ARM " + implementer + " part " + every(cpuinfo, "CPU part")},
            {"cpu.id", implementer + " " + every(cpuinfo, "CPU variant") + "/" +
                           every(cpuinfo, "CPU part") + "/" + every(cpuinfo, "CPU revision")}};
  return {{"cpu.model", first(cpuinfo, "model name")},
          {"cpu.id", first(cpuinfo, "vendor_id") + " " + first(cpuinfo, "cpu family") + "/" +
                         first(cpuinfo, "model") + "/" + first(cpuinfo, "stepping")}};
}

std::map<std::string, std::string> cpu_fields() {
  std::map<std::string, std::string> fields = processor_fields(whole_cpuinfo());
  fields["cpu.cores"] = std::to_string(cores_at_start);
  fields["cpu.memory_gib"] = memory_gib();
  fields["os.kernel"] = kernel();
  return fields;
}

std::map<std::string, std::string> build_fields() {
  return {{"build.compiler", compiler()},
          {"build.flags", single_spaced(RATCHET_CXX_FLAGS)},
          {"build.type", RATCHET_BUILD_TYPE}};
}

}  // namespace ratchet
