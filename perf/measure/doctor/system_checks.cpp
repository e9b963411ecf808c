#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kernels/contract/counted.h"
#include "perf/measure/doctor/checks.h"

namespace ratchet::doctor {
namespace {

Diagnosis virtual_machine(const SystemFiles& files) {
  const auto cpuinfo = files.text("proc/cpuinfo");
  if (!cpuinfo || cpuinfo->find("flags\t") == cpuinfo->npos)  // AArch64 does not say so there
    return {"virtual machine", State::unknown, "not visible", "", ""};
  if (cpuinfo->find(" hypervisor") == cpuinfo->npos)
    return {"virtual machine", State::ok, "no hypervisor", "the system runs on bare metal", ""};
  const std::string product = files.text("sys/class/dmi/id/product_name").value_or("");
  return {"virtual machine", State::hurts, product.empty() ? "a hypervisor" : product,
          "invisible neighbours share caches, memory and cores",
          "use a bare-metal or dedicated runner, or compare interleaved builds (--base REV)"};
}

Diagnosis load(const SystemFiles& files) {
  std::istringstream words(files.text("proc/loadavg").value_or(""));
  double one = 0, five = 0, fifteen = 0, running = 0;
  if (!(words >> one >> five >> fifteen >> running))
    return {"load", State::unknown, "not visible", "", ""};
  // Excludes this process.
  const double others = std::max(0.0, running - 1);
  const bool busy = others >= 1 && one >= 0.5;
  return {"load", busy ? State::hurts : State::ok,
          fmt::format("{:.2f} over a minute, {:.0f} others now", one, others),
          busy ? "other processes compete for the CPUs" : "the CPUs are free",
          "stop other work, or wait"};
}

Diagnosis swap(const SystemFiles& files) {
  const auto total = files.field("proc/meminfo", "SwapTotal:");
  const auto free = files.field("proc/meminfo", "SwapFree:");
  if (!total || !free) return {"swap", State::unknown, "not visible", "", ""};
  const double used_mib = (*total - *free) / 1024;
  const bool hurts = used_mib >= 1;
  return {"swap", hurts ? State::hurts : State::ok, fmt::format("{:.0f} MiB in use", used_mib),
          hurts ? "reading a page back from disk takes milliseconds" : "memory suffices",
          "free memory, then swapoff -a"};
}

Diagnosis huge_pages(const SystemFiles& files) {
  const auto text = files.text("sys/kernel/mm/transparent_hugepage/enabled");
  const std::size_t open = text ? text->find('[') : std::string::npos;
  const std::size_t close = text ? text->find(']') : std::string::npos;
  if (!text || open == text->npos || close == text->npos || close < open)
    return {"transparent huge pages", State::unknown, "not visible", "", ""};
  const std::string mode = text->substr(open + 1, close - open - 1);
  const bool hurts = mode == "always";
  return {"transparent huge pages", hurts ? State::hurts : State::ok, mode,
          hurts ? "a launch gets huge pages at random, so times fall into two groups"
                : "all launches get the same kind of pages",
          "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"};
}

Diagnosis numa(const SystemFiles& files) {
  const auto balancing = files.number("proc/sys/kernel/numa_balancing");
  const std::size_t nodes = files.numbered("sys/devices/system/node", "node").size();
  if (!balancing) return {"NUMA balancing", State::unknown, "not visible", "", ""};
  const bool hurts = *balancing != 0 && nodes > 1;
  return {"NUMA balancing", hurts ? State::hurts : State::ok,
          fmt::format("{}, {}", *balancing != 0 ? "on" : "off", counted(nodes, "nodes")),
          hurts ? "pages move between nodes while stages run" : "pages stay where they are",
          "sysctl kernel.numa_balancing=0, and numactl --cpunodebind --membind"};
}

Diagnosis address_randomisation(const SystemFiles& files) {
  const auto mode = files.number("proc/sys/kernel/randomize_va_space");
  if (!mode) return {"address randomisation", State::unknown, "not visible", "", ""};
  return {"address randomisation", State::ok, *mode != 0 ? "on" : "off",
          *mode != 0 ? "for information: addresses differ between launches, which averages them out"
                     : "for information: all launches have one layout, which may be a lucky one",
          ""};
}

Diagnosis perf_events(const SystemFiles& files) {
  const auto level = files.number("proc/sys/kernel/perf_event_paranoid");
  if (!level) return {"perf events", State::unknown, "not visible", "", ""};
  const bool hurts = *level > 2;
  return {"perf events", hurts ? State::hurts : State::ok, fmt::format("paranoid {:.0f}", *level),
          hurts ? "instructions cannot be counted, so time is the only metric"
                : "a process may count its own instructions, where the CPU has a counter",
          "sysctl kernel.perf_event_paranoid=2"};
}

}  // namespace

std::vector<Diagnosis> check_system(const SystemFiles& files) {
  return {virtual_machine(files), load(files), swap(files),
          huge_pages(files),      numa(files), address_randomisation(files),
          perf_events(files)};
}

std::vector<Diagnosis> check_neighbours(const Snapshot& before, const Snapshot& after) {
  Diagnosis others{"other processes", State::unknown, "not visible", "", "stop them, or wait"};
  Diagnosis steal{"stolen time", State::unknown, "not visible", "", "a dedicated host"};
  if (!before.times || !after.times) return {others, steal};
  const double elapsed = (after.times->busy_s + after.times->idle_s + after.times->steal_s -
                          before.times->busy_s - before.times->idle_s - before.times->steal_s) /
                         after.cpus;
  if (!(elapsed > 0)) return {others, steal};
  const double percent =
      100 * (after.times->steal_s - before.times->steal_s) / (elapsed * after.cpus);
  steal.state = percent >= 0.5 ? State::hurts : State::ok;
  steal.found = fmt::format("{:.1f} %", percent);
  steal.effect = percent >= 0.5 ? "the hypervisor ran other systems while this one was ready"
                                : "the hypervisor took hardly any CPU time away";
  if (after.processes.empty()) return {others, steal};
  others.found.clear();
  double sum = 0;
  for (const BusyProcess& each : busiest(before, after, elapsed)) {
    others.found += fmt::format("{}{} ({}) {:.0f} %", others.found.empty() ? "" : ", ", each.name,
                                each.id, each.cpu_percent);
    sum += each.cpu_percent;
  }
  if (others.found.empty()) others.found = "none above 1 % of a CPU";
  others.state = sum >= 5 ? State::hurts : State::ok;
  others.effect = sum >= 5 ? "they compete with timed rows for CPUs, caches and memory" : "";
  return {others, steal};
}

}  // namespace ratchet::doctor
