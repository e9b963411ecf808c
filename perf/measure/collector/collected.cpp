#include "perf/measure/collector/collected.h"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <utility>

namespace ratchet::timing {
namespace {

constexpr char failed[] = "failed: ";

}  // namespace

Collected collected(const std::vector<Activity>& activities, std::uint64_t id,
                    std::uint64_t since_ns) {
  Collected found;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> intervals;
  for (const Activity& activity : activities) {
    const bool kernel = activity.kind == Activity::Kind::kernel;
    if (!kernel && activity.kind != Activity::Kind::transfer) continue;
    if (activity.external == 0 && activity.begin_ns >= since_ns)
      return {0, 0, "a thread without a timer launched GPU work, which cannot be attributed"};
    if (activity.external != id) continue;
    if (activity.begin_ns == 0 || activity.end_ns < activity.begin_ns)
      return {0, 0, "CUPTI gave a record without times; the program ended before its kernels"};
    found.kernels += kernel;
    intervals.emplace_back(activity.begin_ns, activity.end_ns);
  }
  if (found.kernels == 0) return {0, 0, "no kernel was launched while its timer ran"};
  found.seconds = 1e-9 * static_cast<double>(covered_ns(std::move(intervals)));
  return found;
}

std::int64_t peak_bytes(std::vector<MemoryOperation> operations) {
  std::stable_sort(operations.begin(), operations.end(),
                   [](const auto& a, const auto& b) { return a.at_ns < b.at_ns; });
  std::unordered_map<std::uint64_t, std::uint64_t> held;  // by address
  std::uint64_t now = 0, peak = 0;
  for (const MemoryOperation& each : operations) {
    if (const auto found = held.find(each.address); found != held.end()) {
      now -= found->second;
      held.erase(found);
    }
    if (!each.allocates) continue;
    held[each.address] = each.bytes;
    now += each.bytes;
    peak = std::max(peak, now);
  }
  return static_cast<std::int64_t>(peak);
}

std::string to_line(const Collected& what) {
  if (!what.failure.empty()) return failed + what.failure + "\n";
  char line[96];
  std::snprintf(line, sizeof line, "%llu %.9g %lld\n",
                static_cast<unsigned long long>(what.kernels), what.seconds,
                static_cast<long long>(what.peak_bytes));
  return line;
}

Collected read_line(const std::string& line) {
  const std::string begins = failed;
  if (line.starts_with(begins))
    return {0, 0, line.substr(begins.size(), line.find('\n') - begins.size())};
  unsigned long long kernels = 0;
  long long bytes = -1;
  double seconds = 0;
  char rest = 0;
  const int read = std::sscanf(line.c_str(), "%llu %lf %lld%c", &kernels, &seconds, &bytes, &rest);
  if (read != 4 || rest != '\n' || kernels == 0 || !(seconds > 0) || !(seconds < 1e9) || bytes < -1)
    return {0, 0, "the collector's output is malformed"};
  return {kernels, seconds, "", bytes};
}

}  // namespace ratchet::timing
