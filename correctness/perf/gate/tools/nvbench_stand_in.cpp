// Stands in for a program of nvbench's: its command line and its JSON, as its sources define them.
// Tests start it hundreds of times, so it is no script.
//
// Two benchmarks: copy (types, sizes) and spin (without axes). The environment says what it does:
//
//   NVB_US       microseconds of a call (10)
//   NVB_DEVICES  how many GPUs there are (1)
//   NVB_SKIP     a value of T that skips itself
//   NVB_CRASH, NVB_GARBAGE, NVB_HANG   a benchmark that ends by a signal, writes no JSON, does not
//                end
//   NVB_OLD      as before February 2026: there is no --no-batch
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Words = std::vector<std::string>;

struct Axis {
  std::string name, type;
  Words values;
};

struct Benchmark {
  std::string name;
  std::vector<Axis> axes;
};

const std::vector<Benchmark> benchmarks = {{"copy",
                                            {{"T", "type", {"I8", "std::complex<float>"}},
                                             {"Elements", "int64", {"1024", "65536"}},
                                             {"Scale", "float64", {"0.5"}}}},
                                           {"spin", {}}};

/// Each option, and whether a value follows it.
std::map<std::string, bool> known = {
    {"--timeout", true},  {"--devices", true}, {"--device", true},      {"-d", true},
    {"--axis", true},     {"-a", true},        {"--benchmark", true},   {"-b", true},
    {"--json", true},     {"--jsonbin", true}, {"--min-samples", true}, {"--quiet", false},
    {"--no-batch", false}};

std::string variable(const char* name, const char* otherwise = "") {
  const char* value = std::getenv(name);
  return value ? value : otherwise;
}

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "\nNVBench encountered an error:\n\n%s\n", text.c_str());
  std::exit(1);
}

std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string joined(const Words& parts) {
  std::string text = "[";
  for (const std::string& part : parts) text += (text.size() > 1 ? ", " : "") + part;
  return text + "]";
}

Words split(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](char sign) { return sign == '[' || sign == ']'; }),
             text.end());
  std::istringstream stream(text);
  Words words;
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::string devices() {
  Words all;
  for (int i = 0; i < std::stoi(variable("NVB_DEVICES", "1")); ++i)
    all.push_back("{\"id\": " + std::to_string(i) + ", \"name\": \"Stand-in GPU " +
                  std::to_string(i) + "\"}");
  return joined(all);
}

std::string listing() {
  Words all;
  for (const Benchmark& benchmark : benchmarks) {
    Words axes;
    for (const Axis& axis : benchmark.axes) {
      Words values;
      for (const std::string& value : axis.values)
        values.push_back("{\"input_string\": " + quoted(value) + ", \"description\": \"\"" +
                         (axis.type == "type" ? "" : ", \"value\": " + value) + "}");
      axes.push_back("{\"name\": " + quoted(axis.name) + ", \"type\": " + quoted(axis.type) +
                     ", \"flags\": \"\", \"values\": " + joined(values) + "}");
    }
    all.push_back("{\"name\": " + quoted(benchmark.name) + ", \"index\": " +
                  std::to_string(all.size()) + ", \"axes\": " + joined(axes) + "}");
  }
  return joined(all);
}

struct Request {
  std::vector<Benchmark> chosen;
  Words devices;
  std::string out;
  bool binary = false;
};

/// nvbench's own order: what stands before any --benchmark holds for all.
Request parse(const Words& arguments) {
  Request request;
  for (int i = 0; i < std::stoi(variable("NVB_DEVICES", "1")); ++i)
    request.devices.push_back(std::to_string(i));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      std::puts("NVBench v0.1.0 (main:none)\n");
      for (const auto& [option, valued] : known) std::printf("* `%s`\n", option.c_str());
      std::exit(0);
    }
    if (argument == "--jsonlist-benches" || argument == "--jsonlist-devices") {
      const bool benches = argument == "--jsonlist-benches";
      std::printf("{\"%s\": %s}\n", benches ? "benchmarks" : "devices",
                  (benches ? listing() : devices()).c_str());
      std::exit(0);
    }
    const auto option = known.find(argument);
    if (option == known.end()) fail("Unrecognized command-line argument: `" + argument + "`.");
    if (!option->second) continue;
    if (++i == arguments.size()) fail("Missing value of `" + argument + "`.");
    const std::string& value = arguments[i];
    if (argument == "--benchmark" || argument == "-b") {
      for (const Benchmark& benchmark : benchmarks)
        if (benchmark.name == value || std::to_string(&benchmark - benchmarks.data()) == value)
          request.chosen.push_back(benchmark);
    } else if (argument == "--axis" || argument == "-a") {
      const std::size_t equals = value.find('=');
      const Words wanted = split(value.substr(equals + 1));
      for (Axis& axis : request.chosen.back().axes) {
        if (axis.name != value.substr(0, equals)) continue;
        if (axis.type != "type")
          axis.values = wanted;
        else  // an active type is active once, however often it is named
          std::erase_if(axis.values, [&](const std::string& type) {
            return std::find(wanted.begin(), wanted.end(), type) == wanted.end();
          });
      }
    } else if (argument == "--devices" || argument == "--device" || argument == "-d") {
      request.devices = split(value);
    } else if (argument == "--json" || argument == "--jsonbin") {
      request.out = value;
      request.binary = argument == "--jsonbin";
    }
  }
  if (request.chosen.empty()) request.chosen = benchmarks;
  return request;
}

std::string figure(const std::string& tag, const std::string& value,
                   const std::string& type = "float64") {
  return "{\"tag\": " + quoted(tag) + ", \"name\": " + quoted(tag) +
         ", \"data\": [{\"name\": \"value\", \"type\": " + quoted(type) +
         ", \"value\": " + quoted(value) + "}]}";
}

/// A value of each axis.
using State = std::vector<std::pair<const Axis*, std::string>>;

std::vector<State> states_of(const Benchmark& benchmark) {
  std::vector<State> all = {{}};
  for (const Axis& axis : benchmark.axes) {
    std::vector<State> longer;
    for (const std::string& value : axis.values)
      for (State state : all) {
        state.emplace_back(&axis, value);
        longer.push_back(state);
      }
    all = longer;
  }
  return all;
}

std::string measured(const Request& request, int device, std::size_t index) {
  static std::mt19937 generator{std::random_device{}()};
  const auto wobble = [](double share) {
    return 1 + std::uniform_real_distribution<>(-share, share)(generator);
  };
  static const double call_s = std::stod(variable("NVB_US", "10")) * 1e-6 * wobble(1e-3);
  std::vector<float> samples(50);
  double mean = 0;
  for (float& sample : samples) {
    sample = static_cast<float>(call_s * (1 + device) * wobble(2e-3));
    mean += static_cast<double>(sample) / static_cast<double>(samples.size());
  }
  const auto text = [](double value) {
    std::ostringstream stream;
    stream.precision(17);
    stream << value;
    return stream.str();
  };
  Words summaries = {figure("nv/cold/sample_size", std::to_string(samples.size()), "int64"),
                     figure("nv/cold/time/cpu/mean", text(mean + 5e-6)),
                     figure("nv/cold/time/gpu/mean", text(mean))};
  if (request.binary) {
    const std::string folder = request.out + "-bin", name = std::to_string(index) + ".bin";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/" + name, std::ios::binary)
        .write(reinterpret_cast<const char*>(samples.data()),
               static_cast<std::streamsize>(samples.size() * sizeof samples[0]));
    const std::string tag = "nv/json/bin:nv/cold/sample_times",
                      file = std::filesystem::path(folder).filename().string() + "/" + name;
    summaries.push_back(
        "{\"tag\": " + quoted(tag) + ", \"name\": " + quoted(tag) +
        ", \"data\": [{\"name\": \"filename\", \"type\": \"string\", \"value\": " + quoted(file) +
        "}, {\"name\": \"size\", \"type\": \"int64\", \"value\": \"" +
        std::to_string(samples.size()) + "\"}]}");
  }
  return joined(summaries);
}

std::string result_of(const Request& request, const State& state, int device, std::size_t index) {
  std::string skipped = "false", summaries, axes = "null";
  Words values;
  for (const auto& [axis, value] : state) {
    if (axis->name == "T" && value == variable("NVB_SKIP"))
      skipped = "true, \"skip_reason\": " + quoted("no kernel for " + value);
    values.push_back("{\"name\": " + quoted(axis->name) +
                     ", \"type\": " + quoted(axis->type == "type" ? "string" : axis->type) +
                     ", \"value\": " + quoted(value) + "}");
  }
  if (!values.empty()) axes = joined(values);
  summaries = skipped == "false" ? measured(request, device, index) : "null";
  return "{\"name\": \"Device=" + std::to_string(device) +
         "\", \"device\": " + std::to_string(device) + ", \"is_skipped\": " + skipped +
         ", \"summaries\": " + summaries + ", \"axis_values\": " + axes + "}";
}

}  // namespace

int main(int count, char** words) {
  if (!variable("NVB_OLD").empty()) known.erase("--no-batch");
  const Request request = parse(Words(words + 1, words + count));
  Words results;
  std::size_t measurements = 0;
  for (const Benchmark& benchmark : request.chosen) {
    if (benchmark.name == variable("NVB_CRASH")) raise(SIGABRT);
    if (benchmark.name == variable("NVB_HANG")) sleep(60);
    Words states;
    for (const std::string& device : request.devices)
      for (const State& state : states_of(benchmark))
        states.push_back(result_of(request, state, std::stoi(device), measurements++));
    results.push_back(
        "{\"name\": " + quoted(benchmark.name) + ", \"index\": " + std::to_string(results.size()) +
        ", \"devices\": " + joined(request.devices) + ", \"states\": " + joined(states) + "}");
    if (benchmark.name == variable("NVB_GARBAGE")) {
      std::ofstream(request.out) << "# Devices\n{";
      return 0;
    }
  }
  if (!request.out.empty())
    std::ofstream(request.out)
        << "{\"meta\": {\"version\": {\"json\": {\"major\": 1, \"minor\": 0, \"patch\": 0}}}, "
        << "\"devices\": " << devices() << ", \"benchmarks\": " << joined(results) << "}\n";
}
