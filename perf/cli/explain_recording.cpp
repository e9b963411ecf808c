#include "perf/cli/explain_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "kernels/contract/counted.h"
#include "perf/cli/commands.h"
#include "perf/gate/outcome.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/identity/build/build_options.h"
#include "perf/output/files/markdown.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using gate::FunctionChange;
using gate::Profiler;

constexpr std::size_t most_functions = 15;
constexpr double least_share = 0.001;  ///< of a call, for a line of its own

/// "871", "12.4", "1.234 us".
std::string amount(Profiler profiler, double value) {
  if (value == 0) return "0";
  if (profiler != Profiler::callgrind) return report::format_seconds(value * 1e-9);
  return std::fabs(value) < 100 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value);
}

/// `whole`: a call. Less than a hundred thousandth is of what happens once a process.
std::string change_text(Profiler profiler, double change, double error, double whole) {
  if (std::fabs(change) < 1e-5 * whole) return "0";
  const std::string sign = change < 0 ? "-" : "+";
  std::string text = sign + amount(profiler, std::fabs(change));
  if (error > 0) text += " ± " + amount(profiler, error);
  return text;
}

std::string share(double change, double total) {
  if (total <= 0) return "";
  const std::string text = fmt::format("{:+.1f} %", 100 * change / total);
  return text == "+0.0 %" || text == "-0.0 %" ? "0" : text;
}

std::string name_in(const FunctionChange& change) {
  const char* side = !change.in_before ? " (only now)" : !change.in_now ? " (only before)" : "";
  return "`" + printable(change.function) + "`" + side;
}

/// Those with the largest changes, and more than a thousandth of a call; the first gained most.
std::vector<FunctionChange> largest(std::vector<FunctionChange> changes, double total) {
  std::erase_if(changes, [&](const FunctionChange& each) {
    return std::fabs(each.change()) < least_share * total;
  });
  std::vector<double> sizes;
  for (const FunctionChange& each : changes) sizes.push_back(std::fabs(each.change()));
  std::sort(sizes.rbegin(), sizes.rend());
  if (sizes.size() > most_functions)
    std::erase_if(changes, [&](const FunctionChange& each) {
      return std::fabs(each.change()) <= sizes[most_functions];
    });
  return changes;
}

/// None of a profile by another tool.
gate::Counters counters_of(const gate::Profile& profile, const FunctionChange& of) {
  const auto found = profile.counters.find(of.function);
  return found == profile.counters.end() ? gate::Counters() : found->second;
}

std::string notes(const gate::TwoProfiles& profiles, const std::vector<FunctionChange>& shown) {
  std::string lines;
  const auto one_sided = [](const FunctionChange& each) { return !each.in_before || !each.in_now; };
  if (std::any_of(shown.begin(), shown.end(), one_sided))
    lines +=
        "Only now, only before: new, gone, renamed, or inlined into its caller in the other "
        "build.\n";
  std::string counters;
  for (const FunctionChange& each : shown) {
    if (!each.in_before || !each.in_now) continue;
    const std::string changed =
        gate::changed_counters(counters_of(profiles.before, each), counters_of(profiles.now, each));
    if (!changed.empty())
      counters += fmt::format("* `{}`: {}\n", printable(each.function), changed);
  }
  if (!counters.empty()) lines += "Counters of ncu that changed by 1 % or more:\n" + counters;
  const auto sure = [](const FunctionChange& each) { return each.sure(); };
  if (profiles.profiler == Profiler::perf && std::none_of(shown.begin(), shown.end(), sure))
    lines +=
        "No function changed by more than the error of sampling; `--tool callgrind` counts "
        "instructions, which have none.\n";
  if (profiles.profiler == Profiler::ncu && std::none_of(shown.begin(), shown.end(), sure))
    lines +=
        "No kernel changed by more than its launches scatter: if the row is slower, look at what "
        "lies between its kernels (`nsys profile`).\n";
  if (profiles.profiler == Profiler::callgrind &&
      profiles.now.total() < (1 + least_share) * profiles.before.total())
    lines +=
        "It executes no more instructions than before: if it is slower, they wait longer, for "
        "memory or after branches.\n";
  return lines;
}

}  // namespace

bool require_recordable(const gate::BenchProgram& program, const RowId& row,
                        const std::optional<Profiler>& tool) {
  const bool for_cpus = tool && tool != Profiler::ncu;
  if (const auto* other = dynamic_cast<const gate::ThirdPartyProgram*>(&program)) {
    if (other->benchmark_of(row) != row)
      throw Error(fmt::format("{} is a metric, which no function has; name the row {}", row,
                              other->benchmark_of(row)));
    if (!other->on_gpu() && tool == Profiler::ncu)
      throw Error(fmt::format("{} has no CUDA kernels, which ncu records; leave --tool ncu out",
                              other->path().string()));
    return other->on_gpu() && !for_cpus;
  }
  const bool cuda = row.device() == Device::gpu && row.ranks() <= 1;
  if (row.device() == Device::cpu ? tool == Profiler::ncu : for_cpus || !cuda)
    throw Error(fmt::format("{} runs {}, which {}; of each build run: ratchet profile {} --run",
                            row,
                            row.device() == Device::cpu      ? "on the CPU"
                            : row.device() == Device::opencl ? "through OpenCL"
                            : cuda                           ? "on a GPU"
                                                             : "on several devices",
                            row.device() == Device::cpu ? "ncu does not see"
                            : cuda                      ? "perf and Callgrind do not see"
                                                        : "explain does not record",
                            gate::shell_quoted(row)));
  return cuda;
}

gate::TwoProfiles record_both(const RecordingRequest& request) {
  gate::TwoProfiles profiles;
  profiles.row = request.row;
  profiles.before_commit = request.commit;
  profiles.why_before = request.why;
  profiles.revision = built_revision(request.bench.program);
  profiles.time = utc_now();
  profiles.profiler = request.profiler;
  profiles.why_profiler = request.why_profiler;
  const auto say = [&](int step, const std::string& build) {
    const std::string line = fmt::format("recording {} in {} by {}, {} of 2", request.row, build,
                                         to_string(profiles.profiler), step);
    say_on(std::cerr, false)(line);
    return line;
  };
  const Phase recording(say(1, "this build"));
  const bool kernels = request.profiler == Profiler::ncu;
  profiles.now = kernels ? gate::record_kernels(request.bench, request.row)
                         : gate::record_row(request.bench, request.row, profiles.profiler, 0);
  recording.now(say(2, fmt::format("the build of {:.12}", request.commit)));
  const gate::ProgramOptions base = request.bench.of_base(request.before);
  profiles.before =
      kernels ? gate::record_kernels(base, request.row)
              : gate::record_row(base, request.row, profiles.profiler, profiles.now.calls);
  if (kernels && (profiles.before.calls == 0 || profiles.now.calls == 0)) {
    profiles.before = gate::of_one_launch(profiles.before);
    profiles.now = gate::of_one_launch(profiles.now);
  }
  return profiles;
}

std::string profile_text(const gate::TwoProfiles& profiles) {
  const Profiler by = profiles.profiler;
  const double before = profiles.before.total(), now = profiles.now.total();
  const double whole = std::max(before, now);
  std::string text = fmt::format(
      "{}: {:.12} ({}) against this build, {}\n", profiles.row, profiles.before_commit,
      profiles.why_before,
      by == Profiler::perf ? "time of one call by perf"
      : by == Profiler::callgrind
          ? "executed instructions of one call by Callgrind, which are not time"
      : profiles.now.calls == 0       ? "time of one launch of each kernel by ncu"
      : profiles.now.with_preparation ? "time of the kernels by ncu that one call launches, and "
                                        "those that prepare it"
                                      : "time of one call's kernels by ncu");
  if (!profiles.why_profiler.empty()) text += profiles.why_profiler + "\n";
  const std::vector<FunctionChange> all = function_changes(profiles.before, profiles.now);
  const std::vector<FunctionChange> shown = largest(all, whole);
  report::Table table({by == Profiler::ncu ? "kernel" : "function by itself", "before", "now",
                       "change", "of a call"});
  double left_before = before, left_now = now;
  for (const FunctionChange& each : shown) {
    table.add({name_in(each), amount(by, each.before), amount(by, each.now),
               change_text(by, each.change(), each.error, whole), share(each.change(), before)});
    left_before -= each.before;
    left_now -= each.now;
  }
  if (shown.size() < all.size()) {
    const double rest = left_now - left_before;
    table.add({counted(all.size() - shown.size(), !shown.empty()        ? "others"
                                                  : by == Profiler::ncu ? "kernels"
                                                                        : "functions"),
               amount(by, std::max(0.0, left_before)), amount(by, std::max(0.0, left_now)),
               change_text(by, rest, 0, whole), share(rest, before)});
  }
  table.add({"the whole call", amount(by, before), amount(by, now),
             change_text(by, now - before, 0, whole), share(now - before, before)});
  return text + "\n" + table.text() + "\n" + notes(profiles, shown);
}

nlohmann::json other_profiles(const fs::path& folder, const RowId& row) {
  const fs::path file = folder / "profile.json";
  nlohmann::json kept = nlohmann::json::array();
  if (!fs::exists(file)) return kept;
  const nlohmann::json root = read_json(file);
  for (const Node& each : Node(root, file.string()).at("profiles").list())
    if (each.at("row").text() != printable(row.text())) kept.push_back(each.value());
  return kept;
}

void keep_profiles(const fs::path& folder, const nlohmann::json& profiles) {
  write_atomically(folder / "profile.json",
                   pretty({{"format", 1}, {"profiles", profiles}}, 4) + "\n");
}

}  // namespace ratchet
