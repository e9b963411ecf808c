// Programs of Google Benchmark's.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "kernels/support/error.h"
#include "perf/baseline/third_party_json.h"
#include "perf/gate/third_party/dialect.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

/// Google Benchmark's last run aims at 1.4 times the minimum time, and those before it that find
/// the number of iterations cost a tenth of that and less.
constexpr double time_over_minimum = 1.6;

class GoogleBenchmark : public Dialect {
 public:
  std::vector<std::string> list(const Ask& ask, const std::string& filter) override {
    // Until 1.7 the minimum time is a number, since 1.8 it has a unit.
    const auto ask_with = [&](const std::string& time) {
      return ask({"--benchmark_list_tests=true", "--benchmark_min_time=" + time,
                  "--benchmark_filter=" + (filter.empty() ? "." : filter)});
    };
    ProcessResult result = ask_with("0.1s");
    // A program that does not look at what Google Benchmark left of its flags goes on in spite of
    // it.
    if (!result.ok() || result.errors.find("benchmark_min_time") != std::string::npos) {
      const ProcessResult plain = ask_with("0.1");
      if (plain.ok()) time_suffix_.clear();
      if (plain.ok() || !result.ok()) result = plain;
    }
    if (!result.ok()) throw Error(result.describe());
    std::istringstream stream(result.output);
    for (std::string line; std::getline(stream, line);)
      if (!line.empty()) names_.push_back(line);
    numbered_ = numbered_names(names_);
    return names_;
  }

  std::vector<std::string> launch_flags(std::size_t benchmark,
                                        const LaunchRequest& request) const override {
    return {"--benchmark_filter=" + exact_filter(names_[benchmark]),
            "--benchmark_out=" + request.scratch.string(),
            "--benchmark_out_format=json",
            "--benchmark_repetitions=1",
            "--benchmark_report_aggregates_only=false",
            fmt::format("--benchmark_min_time={:.3f}{}",
                        std::max(0.001, request.budget_s / time_over_minimum), time_suffix_)};
  }

  std::string name_in_output(std::size_t benchmark) const override { return numbered_[benchmark]; }

  nlohmann::json read_output(const std::filesystem::path& file) const override {
    return parse_json(without_bare_nan(read_text(file)), "its output");
  }

 private:
  std::string time_suffix_ = "s";
  std::vector<std::string> names_, numbered_;
};

}  // namespace

std::unique_ptr<Dialect> google_benchmark_dialect() { return std::make_unique<GoogleBenchmark>(); }

}  // namespace ratchet::gate
