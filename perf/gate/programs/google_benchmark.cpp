// Programs that use Google Benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "perf/gate/baseline/third_party_json.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet::gate {
namespace {

/// Total time over minimum time. Google Benchmark's last run aims at 1.4 times the minimum time.
/// The runs that find the number of iterations, and the warm-up, take a tenth of that or less each.
constexpr double time_over_minimum = 1.7;
/// The warm-up's part of the budget. A first call may start a runtime (CUDA: 0.1 to 0.4 s), load
/// code and fault pages in. If that takes longer than the minimum time, it would be the only call.
constexpr double warm_up_share = 0.1;
constexpr char warm_up_flag[] = "--benchmark_min_warmup_time=";
/// With --device-time: the time in which an idle GPU raises its clock.
constexpr double gpu_warm_up_s = 0.1;
/// With --device-time, where the program has no warm-up: longer than the start of CUDA.
constexpr double least_cold_s = 0.6;

class GoogleBenchmark : public ProgramFormat {
 public:
  explicit GoogleBenchmark(bool device_time) : device_time_(device_time) {}

  std::vector<std::string> list(const Ask& ask, const std::string& filter) override {
    // Since 1.8 the minimum time has a unit; the warm-up exists since 1.7.
    const auto ask_with = [&](const std::string& time, bool warm_up) {
      std::vector<std::string> flags = {"--benchmark_list_tests=true",
                                        "--benchmark_min_time=" + time,
                                        "--benchmark_filter=" + (filter.empty() ? "." : filter)};
      if (warm_up) flags.push_back(std::string(warm_up_flag) + "0.1");
      return ask(flags);
    };
    // A program that ignores unrecognised flags succeeds in spite of one.
    const auto understood = [](const ProcessResult& result) {
      return result.ok() && result.errors.find("benchmark_min_") == std::string::npos;
    };
    ProcessResult result = ask_with("0.1s", true);
    for (const bool warm_up : {true, false}) {
      if (understood(result)) break;
      const ProcessResult plain = ask_with("0.1", warm_up);
      if (plain.ok()) {
        time_suffix_.clear();
        warm_up_ = warm_up;
      }
      if (plain.ok() || !result.ok()) result = plain;
    }
    if (!result.ok()) throw Error(result.describe());
    const std::vector<std::string> lines = lines_of(result.output);
    const auto is_flag = [](const std::string& line) {
      return line.find("--benchmark_list_tests") != std::string::npos;
    };
    if (!lines.empty() && std::all_of(lines.begin(), lines.end(), is_flag))  // as of `echo`
      throw Error("it prints its arguments; is it a Google Benchmark or nvbench program?");
    if (!lines.empty() && lines_of(ask({"--help"}).output) == lines)
      throw Error(
          "it prints the same for --help as for --benchmark_list_tests; is it a Google Benchmark "
          "or nvbench program?");
    names_ = rows_among(lines, [&](const std::string& chosen) {
      std::vector<std::string> flags = {"--benchmark_list_tests=true",
                                        "--benchmark_filter=" + chosen};
      return lines_of(ask(flags).output);
    });
    numbered_ = numbered_names(names_);
    return names_;
  }

  std::vector<std::string> selection(std::size_t benchmark) const override {
    return {"--benchmark_filter=" + exact_filter(names_[benchmark])};
  }

  std::vector<std::string> launch_flags(std::size_t benchmark,
                                        const LaunchRequest& request) const override {
    const bool counted = request.calls > 0 && takes_calls(benchmark);
    std::vector<std::string> flags = {selection(benchmark).front(),
                                      "--benchmark_out=" + request.scratch.string(),
                                      "--benchmark_out_format=json",
                                      "--benchmark_repetitions=1",
                                      "--benchmark_report_aggregates_only=false",
                                      counted
                                          ? fmt::format("--benchmark_min_time={}x", request.calls)
                                          : fmt::format("--benchmark_min_time={:.3f}{}",
                                                        minimum_s(request.budget_s), time_suffix_)};
    // A benchmark that states its iterations may bear no more of them.
    if (warm_up_ && !counted && names_[benchmark].find("/iterations:") == std::string::npos)
      flags.push_back(fmt::format("{}{:.3f}", warm_up_flag, warm_up_s(request.budget_s)));
    return flags;
  }

  /// Since 1.8, as the unit of the minimum time. A row that states its iterations makes these.
  bool takes_calls(std::size_t benchmark) const override {
    return !time_suffix_.empty() && names_[benchmark].find("/iterations:") == std::string::npos;
  }

  std::string name_in_output(std::size_t benchmark) const override { return numbered_[benchmark]; }

  nlohmann::json read_output(const std::filesystem::path& file) const override {
    return parse_their_json(read_text(file), "its output");
  }

 private:
  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      if (!line.empty()) lines.push_back(line);
    return lines;
  }

  /// Removes the lines that the program prints itself, which it also prints where no row is
  /// selected. Where that text changes from run to run, a line is tested by selecting it as a row.
  static std::vector<std::string> rows_among(
      std::vector<std::string> lines,
      const std::function<std::vector<std::string>(const std::string& filter)>& listed) {
    const std::vector<std::string> remarks = listed("^$");
    if (remarks.empty() || remarks.size() >= lines.size()) return lines;  // or heeds no filter
    const std::size_t rows = lines.size() - remarks.size();
    for (const std::string& remark : remarks)
      if (const auto found = std::find(lines.begin(), lines.end(), remark); found != lines.end())
        lines.erase(found);
    const auto is_row = [&](const std::string& line) {
      return listed(exact_filter(line)).size() > remarks.size();
    };
    while (lines.size() > rows && !is_row(lines.front())) lines.erase(lines.begin());
    while (lines.size() > rows && !is_row(lines.back())) lines.pop_back();
    return lines;
  }

  double minimum_s(double budget_s) const {
    return std::max(device_time_ && !warm_up_ ? least_cold_s : 0.001, budget_s / time_over_minimum);
  }
  double warm_up_s(double budget_s) const {
    return std::max(device_time_ ? gpu_warm_up_s : 0.001, warm_up_share * budget_s);
  }

  bool device_time_;
  bool warm_up_ = true;
  std::string time_suffix_ = "s";
  std::vector<std::string> names_, numbered_;
};

}  // namespace

std::unique_ptr<ProgramFormat> google_benchmark_format(bool device_time) {
  return std::make_unique<GoogleBenchmark>(device_time);
}

}  // namespace ratchet::gate
