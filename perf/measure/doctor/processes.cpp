#include "perf/measure/doctor/processes.h"

#include <algorithm>
#include <sstream>

namespace ratchet::doctor {
namespace {

/// "12 (a name) R 1 ...": the name may hold anything, so the last parenthesis ends it.
std::optional<Snapshot::Process> parse(const std::string& stat, double ticks) {
  const std::size_t open = stat.find('('), close = stat.rfind(')');
  if (open == stat.npos || close == stat.npos || close < open) return std::nullopt;
  std::istringstream rest(stat.substr(close + 1));
  std::string skipped;
  for (int field = 3; field <= 13; ++field) rest >> skipped;  // proc(5): utime is field 14
  double user = 0, system = 0;
  if (!(rest >> user >> system)) return std::nullopt;
  return Snapshot::Process{stat.substr(open + 1, close - open - 1), (user + system) / ticks};
}

}  // namespace

Snapshot snapshot(const SystemFiles& files, double ticks, int own) {
  Snapshot seen;
  std::istringstream stat(files.text("proc/stat").value_or(""));
  seen.times = read_proc_stat(stat, ticks).all;
  seen.cpus = static_cast<double>(
      std::max<std::size_t>(1, files.numbered("sys/devices/system/cpu", "cpu").size()));
  for (const std::string& id : files.numbered("proc", "")) {
    if (id == std::to_string(own) || id.size() > 9) continue;
    const auto text = files.text("proc/" + id + "/stat");
    if (!text) continue;  // it has exited
    if (const auto process = parse(*text, ticks)) seen.processes[std::stoi(id)] = *process;
  }
  return seen;
}

std::vector<BusyProcess> busiest(const Snapshot& before, const Snapshot& after, double seconds,
                                 std::size_t most) {
  std::vector<BusyProcess> busy;
  for (const auto& [id, process] : after.processes) {
    const auto earlier = before.processes.find(id);
    const double since = earlier == before.processes.end() ? 0 : earlier->second.cpu_s;
    const double percent = seconds > 0 ? 100 * (process.cpu_s - since) / seconds : 0;
    if (percent >= 1) busy.push_back({id, process.name, percent});
  }
  std::sort(busy.begin(), busy.end(), [](const BusyProcess& a, const BusyProcess& b) {
    return a.cpu_percent > b.cpu_percent;
  });
  if (busy.size() > most) busy.resize(most);
  return busy;
}

}  // namespace ratchet::doctor
