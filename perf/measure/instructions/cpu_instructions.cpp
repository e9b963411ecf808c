#include "perf/measure/instructions/cpu_instructions.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <hwy/highway.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else  // built without valgrind's header: no client requests to start and stop counting
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_TOGGLE_COLLECT
#define RATCHET_NO_CALLGRIND 1
#endif

#include "kernels/contract/stage.h"
#include "perf/identity/code/disassembler.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::counters {
namespace {

std::map<std::string, ParameterPoint>& counted_runs() {
  static std::map<std::string, ParameterPoint> by_family;
  return by_family;
}

constexpr double stage_limit_s = 60;

/// "valgrind-3.19.0"; empty if it is missing or the workers cannot control it.
std::string valgrind_version() {
#ifdef RATCHET_NO_CALLGRIND
  return "";
#else
  try {
    const ProcessResult result = run_process({"valgrind", "--version"}, 20);
    if (result.ok()) return result.output.substr(0, result.output.find('\n'));
  } catch (const Error&) {  // not installed
  }
  return "";
#endif
}

struct Count {
  std::string run;
  std::string target;
  double instructions = 0;
};

Count parse_worker(const ProcessResult& result, const std::string& stage) {
  if (!result.ok()) throw Error(result.describe());
  const std::string what = "the worker's count of " + stage;
  const nlohmann::json parsed = parse_json(result.output, what);
  const Node said(parsed, what);
  const Node counted = said.at("instructions");
  return {said.at("run").text(), said.at("target").text(),
          counted.value().is_null() ? 0 : counted.number()};
}

Count count_with_callgrind(const std::filesystem::path& ratchet, const std::string& stage) {
  const ScratchFolder folder;
  const std::string file = (folder.path() / "callgrind.out").string();
  const ProcessResult result = run_process(
      {"valgrind", "--quiet", "--tool=callgrind", "--instr-atstart=no", "--collect-atstart=no",
       "--callgrind-out-file=" + file, ratchet.string(), "metrics-worker", stage},
      stage_limit_s);
  Count count = parse_worker(result, stage);
  count.instructions = callgrind_total(read_text(file), "Callgrind's count of " + stage);
  return count;
}

Count count_with_cpu(const std::filesystem::path& ratchet, const std::string& stage) {
  return parse_worker(run_process({ratchet.string(), "metrics-worker", stage}, stage_limit_s),
                      stage);
}

bool is_counted(const StageInfo& info) { return info.backend == Backend::cpu && !info.threaded(); }

/// The widest instruction set that Highway may dispatch to in this process.
std::string best_target() {
  const std::int64_t targets = hwy::SupportedTargets();
  return hwy::TargetName(targets & -targets);  // lower bits are better
}

std::string known_or_unknown(const std::map<std::string, std::string>& fields, const char* name) {
  const auto found = fields.find(name);
  return found == fields.end() ? "unknown" : found->second;
}

}  // namespace

double callgrind_total(std::string_view text, const std::string& what) {
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    for (const char* key : {"totals: ", "summary: "})
      if (line.starts_with(key)) {
        char* end = nullptr;
        const char* number = line.c_str() + std::char_traits<char>::length(key);
        const double total = std::strtod(number, &end);
        if (end != number && total > 0) return total;
      }
  }
  throw Error(what + " holds no instructions");
}

std::vector<StaticMetrics> cpu_metrics(const std::filesystem::path& ratchet,
                                       const std::function<bool(const std::string&)>& wanted) {
  const std::string valgrind = valgrind_version();
  if (valgrind.empty() && !InstructionCounter().available())
    throw NoMetrics(
        "instructions cannot be counted: valgrind is missing (install the package, then rebuild), "
        "and this machine's CPU counters cannot be read (perf_event_open)");
  const auto build = build_fields();
  std::map<std::string, StaticMetrics> by_target;
  std::set<std::string> not_counted, broken;
  for (const Stage* stage : registry()) {
    const std::string& name = stage->info().name;
    if (!is_counted(stage->info()) || !wanted(name)) continue;
    if (!stage->availability().ok) {
      not_counted.insert(name);
      continue;
    }
    try {
      const Count count =
          valgrind.empty() ? count_with_cpu(ratchet, name) : count_with_callgrind(ratchet, name);
      StaticMetrics& metrics = by_target[count.target];
      metrics.basis = {{"kind", "cpu instructions"},
                       {"compiler", known_or_unknown(build, "build.compiler")},
                       {"flags", known_or_unknown(build, "build.flags")},
                       {"build", known_or_unknown(build, "build.type")},
                       {"libc", gnu_get_libc_version()},
                       {"target", count.target},
                       {"counted by", valgrind.empty() ? "perf_event" : valgrind}};
      metrics.stages[name][count.run].figures["executed_instructions"] = count.instructions;
    } catch (const Error& error) {
      std::cerr << fmt::format("ratchet: {} not counted: {}\n", name, error.what());
      not_counted.insert(name);
      broken.insert(name);
    }
  }
  if (by_target.empty() && !not_counted.empty())
    throw NoMetrics(fmt::format("none of {} stages could be counted", not_counted.size()));
  std::vector<StaticMetrics> all;
  for (auto& [target, metrics] : by_target) {
    metrics.not_counted = not_counted;
    metrics.broken = broken;
    all.push_back(std::move(metrics));
  }
  return all;
}

CountedRunRegistration::CountedRunRegistration(const std::string& family,
                                               const ParameterPoint& point) {
  counted_runs()[family] = point;
}

ParameterPoint counted_run(const std::string& family) {
  const auto found = counted_runs().find(family);
  return found == counted_runs().end() ? ParameterPoint() : found->second;
}

ExitCode count_here(const std::string& name, std::ostream& out) {
  const Stage* stage = find_stage(name);
  if (!stage) throw Error("there is no stage " + name + "; `ratchet list` shows all");
  Parameters parameters = stage->defaults();
  std::string run = "defaults", besides;
  for (const auto& [parameter, value] : counted_run(stage->info().family())) {
    parameters.set(parameter, value);
    besides += fmt::format(" {}={}", parameter, value);
  }
  for (const Parameter& size : stage->info().parameters) {
    if (size.name != stage->info().size) continue;
    const std::uint64_t value = std::max(size.min, std::min(size.value, counted_size));
    parameters.set(size.name, value);
    run = fmt::format("{}={}{}", size.name, value, besides);
  }
  // On a new thread, whose heap arena is empty: the instructions of malloc() depend on earlier
  // allocations, which differ between builds of the program.
  const auto count = [&] {
    const std::unique_ptr<Instance> instance = stage->prepare(parameters);
    instance->run();  // excludes one-time work, such as choosing the instruction set
    instance->wait();
    InstructionCounter counter;
    counter.start();
    // Only the counted run is instrumented: preparation runs several times as fast without.
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_TOGGLE_COLLECT;
    instance->run();
    instance->wait();
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_STOP_INSTRUMENTATION;
    return counter.stop();
  };
  const auto counted = std::async(std::launch::async, count).get();
  nlohmann::json line = {{"run", run}, {"target", best_target()}, {"instructions", nullptr}};
  if (counted) line["instructions"] = *counted;
  out << line.dump() << "\n";
  return ExitCode::pass;
}

}  // namespace ratchet::counters

namespace ratchet::counters {

InstructionCounter::InstructionCounter() {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  descriptor_ =
      static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

InstructionCounter::~InstructionCounter() {
  if (descriptor_ >= 0) close(descriptor_);
}

void InstructionCounter::start() {
  if (!available()) return;
  ioctl(descriptor_, PERF_EVENT_IOC_RESET, 0);
  ioctl(descriptor_, PERF_EVENT_IOC_ENABLE, 0);
}

std::optional<std::uint64_t> InstructionCounter::stop() {
  if (!available()) return std::nullopt;
  ioctl(descriptor_, PERF_EVENT_IOC_DISABLE, 0);
  std::uint64_t count = 0;
  if (read(descriptor_, &count, sizeof count) != sizeof count) return std::nullopt;
  return count;
}

}  // namespace ratchet::counters
