// Programs of nvbench's. They list their benchmarks as JSON (--jsonlist-benches, from April 2023
// on), every axis with its values; a state is chosen by a value for every axis.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "kernels/contract/row_filter.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Axes = std::vector<std::pair<std::string, std::string>>;

constexpr char list_flag[] = "--jsonlist-benches";

/// A benchmark at values of its axes, on one device.
struct State {
  std::string benchmark;  ///< as nvbench numbers it, since names may look like numbers
  std::string name;       ///< as it stands in JSON of this state alone
  Axes axes;
  std::string device;  ///< none where there is none to choose
};

/// What a program's JSON is, which may follow what its main() printed before.
json parse_list(const ProcessResult& result) {
  if (!result.ok()) throw Error(result.describe());
  const std::size_t begin = result.output.find('{');
  if (begin == std::string::npos) return json::object();  // it has nothing to list
  return parse_json(result.output.substr(begin), "its list");
}

const json& array_of(const json& object, const char* key) {
  static const json none = json::array();
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return none;
  if (!object[key].is_array()) throw Error(fmt::format("\"{}\" in its list is not an array", key));
  return object[key];
}

std::string text_at(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key))
    throw Error(fmt::format("its list lacks a \"{}\"", key));
  const json& value = object[key];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::to_string(value.get<double>()) : value.dump();
}

/// The value of an axis, as --axis takes it without flags: numbers are not given as exponents.
std::string value_text(const json& value) {
  return text_at(value, value.contains("value") ? "value" : "input_string");
}

/// Every combination; the last axis varies slowest, as nvbench has it.
std::vector<Axes> combinations(const json& axes) {
  std::vector<Axes> all = {{}};
  for (const json& axis : axes) {
    std::vector<Axes> longer;
    for (const json& value : array_of(axis, "values"))
      for (Axes axes_so_far : all) {
        axes_so_far.emplace_back(text_at(axis, "name"), value_text(value));
        longer.push_back(std::move(axes_so_far));
      }
    all = std::move(longer);
  }
  return all;
}

/// --axis NAME=VALUE. Two values may hold a colon, one may not: that would be a range.
std::string axis_argument(const std::string& axis, const std::string& value) {
  if (value.find_first_of(",[]") != std::string::npos || value.empty())
    throw Error(
        fmt::format("nvbench's --axis cannot select the value \"{}\" of {}; rename it without "
                    "commas and brackets",
                    value, axis));
  const bool colon = value.find(':') != std::string::npos;
  return axis + "=" + (colon ? fmt::format("[{},{}]", value, value) : value);
}

class Nvbench : public ProgramFormat {
 public:
  explicit Nvbench(const std::vector<std::string>& arguments) {
    const std::set<std::string> ours = {"--benchmark", "-b",     "--axis",   "-a",
                                        "--json",      "--list", "--jsonbin"};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (ours.count(arguments[i]))
        throw Error(arguments[i] +
                    " cannot be passed to an nvbench program, because ratchet sets it; select rows "
                    "with --filter");
      const bool device = std::set<std::string>{"--devices", "--device", "-d"}.count(arguments[i]);
      if (device && i + 1 < arguments.size()) stated_devices_ = arguments[i + 1];
    }
  }

  std::vector<std::string> list(const Ask& ask, const std::string& filter) override {
    const json benchmarks = parse_list(ask({list_flag}));
    const std::vector<std::string> devices = devices_of(ask);
    no_batch_ = ask({"--help"}).output.find("--no-batch") != std::string::npos;
    std::vector<std::string> names;
    std::size_t index = 0;
    for (const json& benchmark : array_of(benchmarks, "benchmarks")) {
      for (const std::string& device : devices)
        for (const Axes& axes : combinations(array_of(benchmark, "axes"))) {
          const std::string name = nvbench_row(text_at(benchmark, "name"), axes);
          states_.push_back({std::to_string(index), name, axes, device});
          names.push_back(devices.size() > 1 ? name + "/device:" + device : name);
        }
      ++index;
    }
    return selected(names, filter);
  }

  std::vector<std::string> launch_flags(std::size_t benchmark,
                                        const LaunchRequest& request) const override {
    // nvbench's timeout ends the cold samples, even if a stopping criterion is not met yet.
    std::vector<std::string> flags = {"--jsonbin", request.scratch.string(), "--quiet", "--timeout",
                                      fmt::format("{:.3f}", std::max(0.001, request.budget_s))};
    if (no_batch_) flags.push_back("--no-batch");
    const std::vector<std::string> selected = selection(benchmark);
    flags.insert(flags.end(), selected.begin(), selected.end());
    return flags;
  }

  std::vector<std::string> selection(std::size_t benchmark) const override {
    const State& state = states_[benchmark];
    std::vector<std::string> flags = {"--benchmark", state.benchmark};
    if (!state.device.empty()) flags.insert(flags.end(), {"--devices", state.device});
    for (const auto& [axis, value] : state.axes)
      flags.insert(flags.end(), {"--axis", axis_argument(axis, value)});
    return flags;
  }

  std::string name_in_output(std::size_t benchmark) const override {
    return states_[benchmark].name;
  }

  json read_output(const fs::path& file) const override {
    const json root = parse_json(read_text(file), "its output");
    auto rows = from_nvbench(root, "its output", file.parent_path());
    if (!rows) throw Error("its output is not JSON of nvbench");
    // The machine has all its GPUs (machine_fields()), whichever of them this row is of.
    (*rows)["context"] = json::object();
    return *rows;
  }

  std::vector<fs::path> side_files(const fs::path& scratch) const override {
    return {scratch.string() + "-bin", scratch.string() + "-freqs-bin"};
  }

 private:
  /// Those that the arguments state, else all; one without a name where there are none.
  std::vector<std::string> devices_of(const Ask& ask) const {
    std::vector<std::string> devices;
    const json all = parse_list(ask({"--jsonlist-devices"}));
    const bool some = !stated_devices_.empty() && stated_devices_ != "all";
    std::set<std::string> stated;
    std::string id;
    for (const char c : stated_devices_ + ",") {
      if (std::isdigit(static_cast<unsigned char>(c))) id += c;
      if (c == ',') stated.insert(std::exchange(id, ""));
    }
    for (const json& device : array_of(all, "devices"))
      if (!some || stated.count(text_at(device, "id"))) devices.push_back(text_at(device, "id"));
    if (some && devices.empty())
      throw Error("there is no GPU " + stated_devices_ + " here; the program's --list shows all");
    return devices.empty() ? std::vector<std::string>{""} : devices;
  }

  std::vector<std::string> selected(const std::vector<std::string>& names,
                                    const std::string& filter) {
    const RowFilter wanted(filter, {names.begin(), names.end()});
    std::vector<std::string> kept;
    std::vector<State> states;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!wanted.selects(names[i])) continue;
      kept.push_back(names[i]);
      states.push_back(states_[i]);
    }
    states_ = std::move(states);
    return kept;
  }

  std::string stated_devices_;
  bool no_batch_ = false;
  std::vector<State> states_;
};

}  // namespace

std::unique_ptr<ProgramFormat> nvbench_format(const std::vector<std::string>& arguments) {
  return std::make_unique<Nvbench>(arguments);
}

bool is_nvbench(const Ask& ask) {
  // nvbench does the first and looks no further; others refuse it, or do the second.
  const ProcessResult result = ask({list_flag, "--benchmark_list_tests=true"});
  if (!result.ok()) return result.errors.find("NVBench") != std::string::npos;
  const std::size_t begin = result.output.find('{');
  return begin != std::string::npos && json::accept(result.output.substr(begin)) &&
         result.output.find("\"benchmarks\"") != std::string::npos;
}

}  // namespace ratchet::gate
