// Runs a row under Nsight Compute, and reads what it prints of each launch of a kernel.
//
// Clocks and caches are left as they are, so that a kernel takes as long as in the benchmark's
// loop; ncu's default lowers the clock and empties the caches before each launch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include "perf/gate/programs/profile.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

constexpr char time_metric[] = "gpu__time_duration.sum";
constexpr double launches_to_record = 100;  ///< about, so that thousands of kernels end in time
constexpr double most_calls = 16;
constexpr double ncu_limit_s = 300;
constexpr double ncu_budget_s = 0.001;

/// The fields of a line: each in quotes, with commas between; a quote in a field is doubled.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  std::optional<std::string> field;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool quote = line[i] == '"';
    if (!field) {
      if (quote) field.emplace();
    } else if (!quote) {
      *field += line[i];
    } else if (i + 1 < line.size() && line[i + 1] == '"') {
      *field += line[++i];
    } else {
      fields.push_back(*std::move(field));
      field.reset();
    }
  }
  return fields;
}

/// "1,234.5": with commas between thousands, as ncu prints numbers.
std::optional<double> number_of(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

/// "1.23 M", "45.6 MB", "78.9 %".
std::string counter_text(const KernelCounter& counter, double value) {
  const std::string unit = counter.unit;
  if (unit == "%") return fmt::format("{:.1f} %", value);
  constexpr std::array prefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (std::fabs(value) >= 1000 && prefix + 1 < prefixes.size()) value /= 1000, ++prefix;
  const std::string after = prefixes[prefix] + unit;
  return fmt::format("{:.{}g}", value, prefix == 0 ? 4 : 3) + (after.empty() ? "" : " " + after);
}

template <typename Figure>
Mean mean(const std::vector<const KernelLaunch*>& launches, const Figure& figure) {
  const double count = static_cast<double>(launches.size());
  Mean mean;
  double squares = 0;
  for (const KernelLaunch* each : launches) mean.value += figure(*each) / count;
  for (const KernelLaunch* each : launches) squares += std::pow(figure(*each) - mean.value, 2);
  if (count > 1) mean.variance = squares / (count - 1) / count;
  return mean;
}

/// A kernel returns nothing, which is said of templates alone.
std::string kernel_name(const std::string& name) {
  return name.starts_with("void ") ? name.substr(5) : name;
}

std::vector<std::string> ncu_command(const fs::path& log) {
  std::string metrics = time_metric;
  for (const KernelCounter& each : kernel_counters()) metrics += std::string(",") + each.metric;
  return {"ncu",
          "--target-processes=all",
          "--clock-control=none",
          "--cache-control=none",
          "--print-kernel-base=demangled",
          "--print-units=base",
          "--csv",
          "--page=raw",
          "--log-file=" + log.string(),
          "--metrics=" + metrics};
}

/// What a program did under ncu.
struct Ran {
  double calls = 0;     ///< of the row; 0: not known
  std::string failure;  ///< empty where it ended well
};

Ran run_words(std::vector<std::string> command, const std::vector<std::string>& words,
              const std::function<double()>& calls) {
  command.insert(command.end(), words.begin(), words.end());
  const ProcessResult result = run_process(command, ncu_limit_s);
  if (!result.ok()) return {0, "the program " + result.describe()};
  return {calls(), ""};
}

/// Of ratchet's own row, its range alone.
Ran run_own(const ProgramOptions& options, const RowId& row, const fs::path& output) {
  std::vector<std::string> command = options.under;
  command.insert(command.end(), {"--nvtx", "--nvtx-include", ncu_filter(row.text())});
  std::vector<std::string> words = {
      options.program.string(), "--benchmark_filter=" + exact_filter(row.text()),
      "--benchmark_out=" + output.string(), "--benchmark_out_format=json", "--ratchet_profile"};
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return run_words(std::move(command), words, [&] {
    const nlohmann::json root = read_json(output);
    const std::vector<Node> rows = Node(root, output.string()).at("benchmarks").list();
    return rows.empty() ? 0 : rows.front().at("samples").number();
  });
}

/// `calls` 0: as many as the program makes.
Ran run_other(const ThirdPartyProgram& program, const ProgramOptions& options, const RowId& row,
              double calls, const fs::path& output) {
  if (const std::vector<std::string> once = program.run_once(row); !once.empty())
    return run_words(options.under, once, [] { return 1; });
  LaunchRequest request{
      .budget_s = ncu_budget_s, .verified_file = {}, .scratch = output, .cpu = {}};
  request.calls = static_cast<std::int64_t>(calls);
  const LaunchOutcome outcome = program.measure(row, request);
  if (!outcome.launch) return {0, outcome.failure};
  const double made = static_cast<double>(outcome.launch->iterations);
  // A program that looks for its number of calls made more of them on the way.
  const bool known = calls > 0 || (made == 1 && !program.states_calls(row));
  return {known ? made : 0, ""};
}

struct LaunchedKernels {
  std::vector<KernelLaunch> launches;
  double calls = 0;
};

LaunchedKernels launched_kernels(const ProgramOptions& program, const RowId& row, double calls) {
  const ScratchFolder scratch;
  const fs::path log = scratch.path() / "ncu", output = scratch.path() / "out.json";
  ProgramOptions options = program;
  options.launch_limit_s = ncu_limit_s;
  options.device_time = false;  // CUPTI serves one of the two tools
  options.under = ncu_command(log);
  const std::unique_ptr<BenchProgram> opened = open_program(options);
  const std::string what = opened->path().string();
  const std::vector<RowId> rows = opened->list().rows;
  if (std::find(rows.begin(), rows.end(), row) == rows.end())
    throw Error(fmt::format("{} has no row {}: both builds need it", what, row));
  const auto* other = dynamic_cast<const ThirdPartyProgram*>(opened.get());
  const Ran ran =
      other ? run_other(*other, options, row, calls, output) : run_own(options, row, output);
  const std::string printed = fs::exists(log) ? read_text(log) : "";
  const bool by_ncu = printed.find("==ERROR==") != printed.npos &&
                      printed.find("==ERROR== The application returned") == printed.npos;
  if (!by_ncu && !ran.failure.empty())
    throw Error(fmt::format("{} cannot be recorded in {}: under ncu {}", row, what, ran.failure));
  return {read_ncu(printed, fmt::format("{} in {}", row, what)), ran.calls};
}

}  // namespace

const std::vector<KernelCounter>& kernel_counters() {
  static const std::vector<KernelCounter> all = {
      {"smsp__inst_executed.sum", "instructions of warps", ""},
      {"dram__bytes.sum", "DRAM", "B"},
      {"lts__t_bytes.sum", "L2 cache", "B"},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", "achieved occupancy", "%"},
      {"launch__registers_per_thread", "registers of a thread", ""},
      {"launch__shared_mem_per_block", "shared memory of a block", "B"},
      {"launch__grid_size", "blocks", ""},
      {"launch__block_size", "threads of a block", ""},
  };
  return all;
}

std::string ncu_filter(std::string range) {
  for (char& c : range)
    if (c == '/' || c == ':') c = '.';
  return "regex:ratchet@" + range +
         "/";  // the last '/' means a push/pop range, anywhere on the stack
}

std::vector<KernelLaunch> read_ncu(std::string_view text, const std::string& what) {
  std::vector<std::string> head;
  std::vector<KernelLaunch> launches;
  bool units = false;  // the second line of the table has them
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (constexpr std::string_view error = "==ERROR== "; line.starts_with(error))
      throw Error(fmt::format("{}: ncu cannot record it: {}", what,
                              printable(std::string(line.substr(error.size())), 300)));
    if (!line.starts_with('"')) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (head.empty()) {
      head = fields;
    } else if (!units) {
      units = true;
    } else if (fields.size() != head.size()) {
      throw Error(fmt::format("{}: ncu's table has a line of {} fields, and {} columns", what,
                              fields.size(), head.size()));
    } else {
      const auto at = [&](const char* column) -> const std::string& {
        static const std::string none;
        const auto found = std::find(head.begin(), head.end(), column);
        return found == head.end() ? none : fields[static_cast<std::size_t>(found - head.begin())];
      };
      KernelLaunch launch;
      launch.kernel = kernel_name(at("Kernel Name"));
      const std::optional<double> ns = number_of(at(time_metric));
      if (launch.kernel.empty() || !ns)
        throw Error(fmt::format("{}: ncu's table states no {} of a kernel", what, time_metric));
      launch.ns = *ns;
      for (const KernelCounter& each : kernel_counters())
        if (const auto value = number_of(at(each.metric))) launch.counters[each.name] = *value;
      launches.push_back(std::move(launch));
    }
  }
  return launches;
}

Profile profile_of(const std::vector<KernelLaunch>& launches, double calls,
                   const std::vector<KernelLaunch>& before_loop, double fewer) {
  std::map<std::string, std::vector<const KernelLaunch*>> kernels;
  for (const KernelLaunch& each : launches) kernels[each.kernel].push_back(&each);
  std::map<std::string, std::size_t> left_out;
  for (const KernelLaunch& each : before_loop) ++left_out[each.kernel];
  Profile profile;
  profile.calls = calls;
  for (auto& [kernel, all] : kernels) {
    const std::size_t skipped = std::min(left_out[kernel], all.size());
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(skipped));
    if (all.empty()) continue;
    const auto mean_of = [&](const auto& figure) { return mean(all, figure); };
    const double of_a_call = calls > 0 ? static_cast<double>(all.size()) / (calls - fewer) : 1;
    const Mean ns = mean_of([](const KernelLaunch& each) { return each.ns; });
    profile.stacks[{kernel}] = {of_a_call * ns.value, of_a_call,
                                of_a_call * of_a_call * ns.variance};
    for (const auto& [name, value] : all.front()->counters)
      profile.counters[kernel][name] = mean_of([&](const KernelLaunch& each) {
        const auto found = each.counters.find(name);
        return found == each.counters.end() ? 0 : found->second;
      });
  }
  return profile;
}

Profile of_one_launch(Profile profile) {
  if (profile.calls == 0) return profile;
  profile.calls = 0;
  for (auto& [stack, cost] : profile.stacks)
    cost = {cost.cost / cost.count, 1, cost.variance / cost.count / cost.count};
  return profile;
}

std::string ncu_refusal() try {
  const ProcessResult result = run_process({"ncu", "--version"}, 20);
  return result.ok() ? "" : "ncu: " + result.describe();
} catch (const Error&) {
  return "ncu is not on PATH (Nsight Compute, in the CUDA Toolkit's bin)";
}

std::string changed_counters(const Counters& before, const Counters& now) {
  constexpr double least_change = 0.01;
  std::string text;
  for (const KernelCounter& each : kernel_counters()) {
    const auto was = before.find(each.name), is = now.find(each.name);
    if (was == before.end() || is == now.end()) continue;
    const Mean &a = was->second, &b = is->second;
    const double least =
        std::max(least_change * std::fabs(a.value), 2 * std::sqrt(a.variance + b.variance));
    if (a.value == b.value || std::fabs(b.value - a.value) < least) continue;
    text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", each.name,
                        counter_text(each, a.value), counter_text(each, b.value));
  }
  return text;
}

Profile record_kernels(const ProgramOptions& program, const RowId& row) {
  const std::unique_ptr<BenchProgram> opened = open_program(program);
  const auto* const other = dynamic_cast<const ThirdPartyProgram*>(opened.get());
  const bool tells = other && other->takes_calls(row);
  const LaunchedKernels once = launched_kernels(program, row, tells ? 1 : 0);
  if (once.launches.empty())
    throw Error(
        fmt::format("ncu saw no kernel of {} in {}: of code that runs on the CPU, --tool perf or "
                    "--tool callgrind shows the functions",
                    row, program.program.string()));
  if (!tells) {
    Profile profile = profile_of(once.launches, once.calls);
    profile.with_preparation = other != nullptr;
    return profile;
  }
  const double more = std::clamp(
      std::floor(launches_to_record / static_cast<double>(once.launches.size())), 1.0, most_calls);
  const LaunchedKernels all = launched_kernels(program, row, 1 + more);
  return profile_of(all.launches, all.calls, once.launches, once.calls);
}

}  // namespace ratchet::gate
