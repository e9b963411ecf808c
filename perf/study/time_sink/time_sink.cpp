#include "perf/study/time_sink/time_sink.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <regex>

namespace ratchet::timing {
namespace {

constexpr char kGpu[] = "GPU activities";
constexpr char kApi[] = "API calls";
constexpr char kOutside[] = "Outside calls";

double seconds_of(const Activity& activity) {
  return activity.end_ns > activity.begin_ns
             ? 1e-9 * static_cast<double>(activity.end_ns - activity.begin_ns)
             : 0;
}

/// "cudaLaunchKernel" of CUPTI's "cudaLaunchKernel_v7000".
std::string plain_name(const std::string& name) {
  const auto suffix = name.rfind("_v");
  const bool versioned = suffix != name.npos && suffix + 2 < name.size() &&
                         name.find_first_not_of("0123456789", suffix + 2) == name.npos;
  return versioned ? name.substr(0, suffix) : name;
}

/// A kernel's name as one would write it, less namespaces and parameters: CUPTI gives the mangled
/// one.
std::string kernel_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  static const std::regex anonymous(R"(\(anonymous namespace\)::)");
  static const std::regex noise(R"(^void |[a-z_0-9]+::|\(.*\)$)");
  return std::regex_replace(std::regex_replace(text.get(), anonymous, ""), noise, "");
}

bool is_call(const Activity& activity) {
  return activity.kind == Activity::Kind::runtime_call ||
         activity.kind == Activity::Kind::driver_call;
}

/// Calls not enclosed by another call, by time.
std::vector<Activity> outermost_calls(const std::vector<Activity>& activities) {
  std::vector<Activity> calls;
  for (const Activity& each : activities)
    if (is_call(each)) calls.push_back(each);
  std::stable_sort(calls.begin(), calls.end(), [](const Activity& a, const Activity& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  std::vector<Activity> outermost;
  for (const Activity& call : calls)
    if (outermost.empty() || call.begin_ns >= outermost.back().end_ns) outermost.push_back(call);
  return outermost;
}

void add(std::map<std::string, TimeSinkRow>& rows, const char* type, const std::string& name,
         double seconds) {
  TimeSinkRow& row = rows[name];
  row.type = type;
  row.name = name;
  ++row.calls;
  row.seconds += seconds;
}

/// Of a phase, what none of the calls covers, which do not overlap.
double outside(const TimeSinkPhase& phase, const std::vector<Activity>& calls) {
  std::uint64_t covered = 0;
  for (const Activity& call : calls) {
    const std::uint64_t begin = std::max(call.begin_ns, phase.begin_ns);
    const std::uint64_t end = std::min(call.end_ns, phase.end_ns);
    if (begin < end) covered += end - begin;
  }
  return 1e-9 * static_cast<double>(phase.end_ns - phase.begin_ns - covered);
}

/// Lines of what is outside of calls, each with its share of all that is; their sum.
double append_outside(std::vector<TimeSinkRow>& to, const std::vector<TimeSinkPhase>& phases,
                      const std::vector<Activity>& calls) {
  std::vector<TimeSinkRow> rows;
  double total = 0;
  for (const TimeSinkPhase& phase : phases) {
    rows.push_back({kOutside, phase.name, 1, outside(phase, calls), 0});
    total += rows.back().seconds;
  }
  for (TimeSinkRow& row : rows) row.share = total > 0 ? row.seconds / total : 0;
  to.insert(to.end(), rows.begin(), rows.end());
  return total;
}

void append_sorted(std::vector<TimeSinkRow>& to, const std::map<std::string, TimeSinkRow>& from) {
  std::vector<TimeSinkRow> rows;
  double total = 0;
  for (const auto& [name, row] : from) {
    rows.push_back(row);
    total += row.seconds;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const TimeSinkRow& a, const TimeSinkRow& b) {
    return a.seconds > b.seconds;
  });
  for (TimeSinkRow& row : rows) row.share = total > 0 ? row.seconds / total : 0;
  to.insert(to.end(), rows.begin(), rows.end());
}

}  // namespace

std::vector<std::string> first_calls() { return {"cudaFree", "cudaMalloc", "cudaEventCreate"}; }

TimeSink account(const std::vector<Activity>& activities,
                 const std::vector<TimeSinkPhase>& phases) {
  TimeSink sink;
  std::map<std::string, TimeSinkRow> gpu, api;
  for (const Activity& each : activities) {
    if (is_call(each)) continue;
    add(gpu, kGpu, kernel_name(each.name), seconds_of(each));
    sink.kernel_seconds += seconds_of(each);
  }
  const std::vector<Activity> calls = outermost_calls(activities);
  // Starting up takes longest of all calls before the first launch; queries that need no context
  // come first.
  const Activity* start_up = nullptr;
  for (const Activity& call : calls) {
    if (call.name.find("Launch") != std::string::npos) break;
    if (!start_up || seconds_of(call) > seconds_of(*start_up)) start_up = &call;
  }
  if (start_up) {
    sink.start_up_seconds = seconds_of(*start_up);
    sink.start_up_call = plain_name(start_up->name);
  }
  for (const Activity& call : calls) {
    const std::string name = plain_name(call.name);
    add(api, kApi, &call == start_up ? name + " (starts the runtime)" : name, seconds_of(call));
    if (name.find("Launch") != name.npos) sink.launch_seconds += seconds_of(call);
    if (name.find("Synchronize") != name.npos) sink.synchronize_seconds += seconds_of(call);
  }
  append_sorted(sink.rows, gpu);
  append_sorted(sink.rows, api);
  sink.outside_seconds = append_outside(sink.rows, phases, calls);
  return sink;
}

}  // namespace ratchet::timing
