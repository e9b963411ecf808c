#include <fmt/format.h>

#include <map>
#include <sstream>

#include "perf/measure/doctor/checks.h"

namespace ratchet::doctor {
namespace {

const std::string kCpus = "sys/devices/system/cpu/";

Diagnosis governor(const SystemFiles& files) {
  Diagnosis diagnosis{"frequency governor", State::unknown, "not visible",
                      "something else, such as a hypervisor, controls the clocks", ""};
  std::map<std::string, int> count;
  int all = 0;
  for (const std::string& cpu : files.numbered(kCpus, "cpu")) {
    const auto name = files.text(kCpus + cpu + "/cpufreq/scaling_governor");
    if (!name) continue;
    ++count[*name];
    ++all;
  }
  if (all == 0) return diagnosis;
  diagnosis.found.clear();
  for (const auto& [name, cpus] : count)
    diagnosis.found +=
        fmt::format("{}{} on {} of {}", diagnosis.found.empty() ? "" : ", ", name, cpus, all);
  const bool fine = count.size() == 1 && count.contains("performance");
  diagnosis.state = fine ? State::ok : State::hurts;
  diagnosis.effect = fine ? "clocks are at their maximum"
                          : "clocks follow the load, so short runs are timed while clocks rise";
  diagnosis.fix = "cpupower frequency-set -g performance";
  return diagnosis;
}

Diagnosis turbo(const SystemFiles& files) {
  const auto no_turbo = files.number(kCpus + "intel_pstate/no_turbo");
  const auto boost = files.number(kCpus + "cpufreq/boost");
  if (!no_turbo && !boost)
    return {"turbo", State::unknown, "not visible", "may change clocks unnoticed", ""};
  const bool on = no_turbo ? *no_turbo == 0 : *boost != 0;
  return {"turbo", on ? State::hurts : State::ok, on ? "on" : "off",
          on ? "the clock depends on heat and on the number of busy cores"
             : "clocks do not exceed base",
          no_turbo ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                   : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"};
}

Diagnosis smt(const SystemFiles& files) {
  int sharing = 0, all = 0;
  for (const std::string& cpu : files.numbered(kCpus, "cpu")) {
    const auto siblings = files.text(kCpus + cpu + "/topology/thread_siblings_list");
    if (!siblings) continue;
    ++all;
    if (siblings->find_first_of(",-") != siblings->npos) ++sharing;
  }
  if (all == 0) return {"SMT siblings", State::unknown, "not visible", "cores may be shared", ""};
  return {"SMT siblings", sharing > 0 ? State::hurts : State::ok,
          fmt::format("{} of {} CPUs share a core", sharing, all),
          sharing > 0 ? "a process on a sibling takes up to half of the core"
                      : "no two visible CPUs share a core",
          "echo off > /sys/devices/system/cpu/smt/control, or leave siblings idle with taskset"};
}

/// This process's control groups of the CPU controller, from its own up to the root.
std::vector<std::string> cgroup_folders(const SystemFiles& files, const std::string& controller) {
  std::istringstream lines(files.text("proc/self/cgroup").value_or(""));
  std::string path;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string names = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    if (names.find(fmt::format(",{},", controller)) != names.npos) path = line.substr(second + 1);
  }
  std::vector<std::string> folders;
  for (; path.size() > 1; path.erase(path.rfind('/'))) {
    if (path.find('/') == path.npos) break;
    folders.push_back(path);
  }
  folders.push_back("");
  return folders;
}

/// The tightest quota in CPUs; 0 for no quota, nothing if no file shows it.
std::optional<double> quota_cpus(const SystemFiles& files) {
  std::optional<double> tightest;
  const auto note = [&](double quota, double period) {
    const double cpus = quota > 0 && period > 0 ? quota / period : 0;
    if (!tightest || *tightest == 0 || (cpus > 0 && cpus < *tightest)) tightest = cpus;
  };
  for (const std::string& folder : cgroup_folders(files, "")) {  // version 2
    const auto text = files.text("sys/fs/cgroup" + folder + "/cpu.max");
    if (!text) continue;
    std::istringstream words(*text);
    std::string quota;
    double period = 0;
    words >> quota >> period;
    note(quota == "max" ? 0 : std::atof(quota.c_str()), period);
  }
  for (const std::string& folder : cgroup_folders(files, "cpu")) {  // version 1
    for (const char* mount : {"sys/fs/cgroup/cpu", "sys/fs/cgroup/cpu,cpuacct"}) {
      const auto quota = files.number(mount + folder + "/cpu.cfs_quota_us");
      const auto period = files.number(mount + folder + "/cpu.cfs_period_us");
      if (quota && period) note(*quota, *period);
    }
  }
  return tightest;
}

Diagnosis quota(const SystemFiles& files) {
  const auto cpus = quota_cpus(files);
  if (!cpus)
    return {"CPU quota", State::ok, "no limit is visible", "no control group limits CPU time", ""};
  if (*cpus == 0) return {"CPU quota", State::ok, "none", "CPU time is not limited", ""};
  return {"CPU quota", State::hurts, fmt::format("{:.3g} CPUs", *cpus),
          "an exhausted quota stops everything until the next period of about 100 ms",
          "run without a CPU limit (docker without --cpus, Kubernetes static CPU manager)"};
}

Diagnosis heat(const SystemFiles& files) {
  double events = 0;
  bool known = false;
  for (const std::string& cpu : files.numbered(kCpus, "cpu")) {
    for (const char* kind : {"core", "package"}) {
      const auto count =
          files.number(kCpus + cpu + "/thermal_throttle/" + kind + "_throttle_count");
      known = known || count;
      events += count.value_or(0);
    }
  }
  if (!known) return {"thermal throttling", State::unknown, "not counted", "may lower clocks", ""};
  return {"thermal throttling", events > 0 ? State::hurts : State::ok,
          fmt::format("{:.0f} events since boot", events),
          events > 0 ? "hot cores lower their clock" : "cores were never too hot",
          "better cooling, or a lower fixed clock"};
}

Diagnosis isolated(const SystemFiles& files) {
  const auto list = files.text(kCpus + "isolated");
  if (!list) return {"isolated CPUs", State::unknown, "not visible", "", ""};
  if (list->empty())
    return {"isolated CPUs", State::ok, "none", "optional: the scheduler may use every CPU",
            "boot with isolcpus=, then run under taskset"};
  return {"isolated CPUs", State::ok, *list, "free of other processes: use them with taskset", ""};
}

}  // namespace

std::vector<Diagnosis> check_cpus(const SystemFiles& files) {
  return {governor(files), turbo(files), smt(files), quota(files), heat(files), isolated(files)};
}

}  // namespace ratchet::doctor
