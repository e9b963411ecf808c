// Reads one side of a comparison: files of any supported library, into launches.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "perf/gate/baseline/other_formats.h"
#include "perf/gate/programs/compare_files.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Of results_in() the files with launches.
std::vector<fs::path> launches_in(const fs::path& folder, int depth) {
  std::vector<fs::path> files = results_in(folder, depth);
  std::erase_if(files, [](const fs::path& file) {
    const bool compared = file.filename() == "compare.json";
    return compared ? fs::exists(file.parent_path() / "gate.json") : file.filename() != "gate.json";
  });
  return files;
}

/// Next to the file of ratchet that has the launches, others are for other tools.
std::vector<fs::path> files_in(const fs::path& folder) {
  if (auto results = launches_in(folder, 0); !results.empty()) return results;
  std::vector<fs::path> files, texts;
  for (const fs::path& entry : sorted_entries(folder)) {
    if (entry.extension() == ".json" && entry.filename() != "bisect.json" &&
        entry.filename() != "profile.json")
      files.push_back(entry);
    if (entry.extension() == ".txt") texts.push_back(entry);  // of `go test -bench`
  }
  if (files.empty()) files = launches_in(folder, 2);
  return files.empty() ? texts : files;
}

/// The files that an argument names: itself, those of a folder by name, or those between commas.
/// What criterion left is one, a folder though it is.
std::vector<fs::path> files_of(const std::string& argument) {
  std::error_code error;
  std::vector<fs::path> files;
  if (criterion_folder(argument)) return {argument};
  if (fs::is_directory(argument, error)) {
    files = files_in(argument);
    if (!files.empty()) return files;
    if (const auto others = results_in(argument, 0); !others.empty())
      throw Error(
          fmt::format("{0} holds {1} and no measurements; `ratchet report {0} -o FILE.html` "
                      "shows it",
                      argument, others.front().filename().string()));
    throw Error(
        "the folder " + argument +
        " holds no *.json or *.txt; name one with results of benchmarks, or the files themselves");
  }
  if (fs::exists(argument, error)) return {argument};
  std::istringstream parts(argument);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.empty())
      throw Error("the list of files \"" + argument +
                  "\" has an empty item; leave the comma out, or name a file");
    const fs::path file = part;
    for (const fs::path& other : files) {
      if (fs::equivalent(file, other, error))
        throw Error(part + " is given twice on one side; name each file once");
    }
    files.push_back(file);
  }
  if (files.empty()) throw Error("one side names no file; name at least one");
  return files;
}

/// The median of each process's repetitions, in the order of the file.
Row by_process(const Row& row) {
  std::map<std::string, Row> processes;
  std::vector<std::string> order;
  for (const Launch& launch : row.launches) {
    Row& process = processes[launch.process];
    if (process.launches.empty()) order.push_back(launch.process);
    process.launches.push_back(launch);
  }
  Row medians = row;
  medians.launches.clear();
  for (const std::string& process : order)
    medians.launches.push_back(median_launch(processes.at(process)));
  return medians;
}

class SideReader {
 public:
  SideReader(const std::string& name, const CompareOptions& options) : options_(options) {
    side_.name = name;
  }

  void add(const fs::path& file) {
    const json root = read_third_party_json(file);
    const bool ours = root.is_object() && root.contains("context") && root["context"].is_object() &&
                      root["context"].contains("ratchet");
    if (root.is_object() && root.contains("benchmarks") && root["benchmarks"].empty() && !ours)
      throw Error(file.string() +
                  " has no benchmarks; write it again with a filter that selects some");
    if (ours) add_own(file);
    if (!ours)
      for (const json& run : merged_runs(root))
        add_third_party(parse_third_party(run, file.string(), {options_.clock}));
    files_of_launches_ |= ours;
    take_context(root["context"], file.string());
    ++side_.files;
  }
  MeasuredSide take() {
    for (const auto& [name, row] : side_.measured.rows) side_.skipped.erase(name);
    for (const RowId& name : failed_) side_.skipped.erase(name);
    note_absent_rows();
    return std::move(side_);
  }

 private:
  void take_context(const json& context, const std::string& file) {
    for (const json& metric : context.value("not_judged", json::array()))
      if (metric.is_string()) side_.not_judged.insert(metric.get<std::string>());
    if (side_.measured.context.empty()) {
      side_.measured.context = context;
      first_ = file;
    }
    const auto changes = machine_differences(side_.measured.context, context, first_, file);
    if (!changes.empty() && !options_.across_machines)
      throw Error(
          fmt::format("the files of side {} are of different machines: {}; to use them anyway, add "
                      "--across-machines",
                      side_.name, fmt::join(changes, ", ")));
  }

  /// Files that have a row in common are launches of one program, and have all its rows. Others may
  /// hold the parts of one run.
  void note_absent_rows() {
    std::vector<std::size_t> program(launches_.size());
    std::iota(program.begin(), program.end(), std::size_t{0});
    const auto program_of = [&](std::size_t launch) {
      while (program[launch] != launch) launch = program[launch] = program[program[launch]];
      return launch;
    };
    std::map<RowId, std::size_t> first, count;
    for (std::size_t i = 0; i < launches_.size(); ++i)
      for (const RowId& row : launches_[i]) {
        program[program_of(i)] = program_of(first.emplace(row, i).first->second);
        ++count[row];
      }
    std::vector<std::size_t> size(launches_.size());
    for (std::size_t i = 0; i < launches_.size(); ++i) ++size[program_of(i)];
    for (const auto& [row, launch] : first)
      if (const std::size_t all = size[program_of(launch)]; count[row] < all)
        side_.absent[row] = fmt::format("missing from {} of {} {}", all - count[row], all,
                                        files_of_launches_ ? "files" : "launches");
  }

  void add_own(const fs::path& file) {
    launches_.emplace_back();
    const Measurements own = read_measurements(file);
    for (const auto& [name, row] : own.rows) {
      launches_.back().insert(name);
      take_launches(name, row);
      if (row.tolerance) side_.measured.rows[name].tolerance = row.tolerance;
      side_.measured.rows[name].limits = row.limits;
      for (const Metric& metric : options_.metrics)  // those that were gated stand there as rows
        if (!own.rows.contains(metric_row(name, metric.name)))
          add_metric(row, metric);
        else
          side_.metrics.insert(metric.name);
    }
    take_failures(own);
  }

  /// Rows that failed in that run have no launches in its file, and are rows all the same.
  void take_failures(const Measurements& own) {
    const json rows = own.context.at("ratchet").value("rows", json::object());
    for (const auto& [name, entry] : rows.items()) {
      if (!entry.is_object() || own.rows.contains(name)) continue;
      const std::string verdict = entry.value("verdict", ""), reason = entry.value("reason", "");
      if (verdict != "failed" && verdict != "unverified") continue;
      side_.failures[name] = reason.empty() ? verdict : reason;
      failed_.insert(name);
      launches_.back().insert(name);
    }
  }

  /// As a row of its own, where this one states it.
  void add_metric(const Row& row, const Metric& metric) {
    const std::set<std::string> stated = metrics_in(row);
    side_.metrics.insert(stated.begin(), stated.end());
    if (!stated.contains(metric.name)) return;
    const RowId name = metric_row(row.name, metric.name);
    launches_.back().insert(name);
    side_.unchecked.insert(name);
    try {
      const Row found = *metric_of(row, metric);
      take_launches(name, options_.repetitions_are_launches ? found : by_process(found));
    } catch (const Error& error) {
      side_.failures[name] = error.what();
      failed_.insert(name);
    }
  }

  void add_third_party(const ThirdPartyMeasurements& file) {
    side_.failures.insert(file.failures.begin(), file.failures.end());
    side_.skipped.insert(file.skipped.begin(), file.skipped.end());
    for (const auto& [name, reason] : file.failures)
      if (!file.skipped.count(name)) failed_.insert(name);
    launches_.emplace_back();
    for (const auto& [name, reason] : file.failures) launches_.back().insert(name);
    for (const auto& [name, row] : file.measured.rows) {
      launches_.back().insert(name);
      for (const Launch& launch : row.launches) {
        files_of_launches_ |= !launch.process.empty();
        const auto verified = launch.counter(counter::verified);
        if (!verified) side_.unchecked.insert(name);
        if (verified && *verified != 1) side_.unverified.insert(name);
      }
      take_launches(name, options_.repetitions_are_launches ? row : by_process(row));
      for (const Metric& metric : options_.metrics) {
        if (file.measured.rows.contains(metric_row(name, metric.name)))
          throw Error(fmt::format("--metric {}: its row {} has the name of another; leave it out",
                                  metric.name, metric_row(name, metric.name)));
        add_metric(row, metric);
      }
    }
  }

  void take_launches(const RowId& name, const Row& more) {
    Row& row = side_.measured.rows[name];
    row.name = name;
    const std::size_t before = row.launches.size();
    add_launches(row, more);
    const ThroughputBasis first = basis_of(row.basis),
                          added = basis_of(by_clock(more, clock_of(row)).basis);
    if (first != added)
      side_.failures[name] = fmt::format(
          "its throughput is {} in one file, {} in another; compare files of one program",
          to_string(first), to_string(added));
    const auto units = row.launches.front().counter(counter::units);
    for (std::size_t i = before; i < row.launches.size(); ++i) {
      row.launches[i].index = static_cast<int>(i);
      const auto other = row.launches[i].counter(counter::units);
      if (units && other && *units != *other)  // where the work of a call is known
        side_.failures[name] =
            "its launches differ in the work of one call; compare files of one program";
    }
  }

  const CompareOptions& options_;
  MeasuredSide side_;
  std::string first_;
  std::vector<std::set<RowId>> launches_;  ///< the rows of each, failed ones too
  std::set<RowId> failed_;                 ///< rows that failed and were not skipped
  bool files_of_launches_ = false;         ///< a file can hold several
};

/// The toolkit and its flags are those of the build, and two builds may well be compared.
bool of_the_machine(const std::string& field) {
  if (field == "gpu.toolkit" || field == "gpu.flags") return false;
  return field.starts_with("cpu.") || field.starts_with("gpu.") || field.starts_with("gpus.") ||
         field.starts_with("opencl.") || field.starts_with("machine.") || field == "num_cpus" ||
         field == "mhz_per_cpu" || field == "host_name";
}

/// What Google Benchmark reads as the clock differs by a little from boot to boot.
bool agree(const std::string& field, const json& a, const json& b) {
  if (field != "mhz_per_cpu" || !a.is_number() || !b.is_number()) return a == b;
  const double first = a.get<double>();
  const double second = b.get<double>();
  return std::fabs(first - second) <= 0.02 * std::max(first, second);
}

std::string shown(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::vector<fs::path> results_in(const fs::path& folder, int depth) {
  std::vector<fs::path> files;
  for (const char* name : result_files)
    if (fs::exists(folder / name)) files.push_back(folder / name);
  const fs::path bare = folder.has_filename() ? folder : folder.parent_path();
  for (const char* name : result_files)
    if (const fs::path file = bare.parent_path() / name;
        files.empty() && file.stem() == bare.filename() && fs::exists(file))
      return {file};
  if (!files.empty() || depth == 0) return files;
  for (const fs::path& entry : sorted_entries(folder))
    if (fs::is_directory(entry))
      for (fs::path& file : results_in(entry, depth - 1)) files.push_back(std::move(file));
  return files;
}

std::vector<std::string> machine_differences(const json& a, const json& b,
                                             const std::string& name_a, const std::string& name_b) {
  std::vector<std::string> differences;
  for (const auto& [field, value] : a.items()) {
    if (!of_the_machine(field) || !b.contains(field) || agree(field, value, b[field])) continue;
    differences.push_back(fmt::format("{} is {} in {}, {} in {}", field, shown(value), name_a,
                                      shown(b[field]), name_b));
  }
  return differences;
}

MeasuredSide read_side(const std::string& name, const std::string& files,
                       const CompareOptions& options) {
  SideReader reader(name, options);
  for (const fs::path& file : files_of(files)) reader.add(file);
  return reader.take();
}

}  // namespace ratchet::gate
