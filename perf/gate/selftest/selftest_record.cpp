#include "perf/gate/selftest/selftest_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "perf/baseline/fingerprint.h"
#include "perf/support/json_file.h"

namespace ratchet::gate {
namespace {

using nlohmann::json;

json rounded(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(tidy_number(value));
  return list;
}

template <class T>
T get(const json& object, const char* key, const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) throw Error(fmt::format("{}: \"{}\" is missing", where, key));
  try {
    return found->get<T>();
  } catch (const json::exception&) {
    throw Error(fmt::format("{}: \"{}\" is of the wrong type", where, key));
  }
}

SelftestRow row_of(const json& entry, const std::string& where) {
  SelftestRow row;
  row.verdict = get<std::string>(entry, "verdict", where);
  row.ratio = get<double>(entry, "ratio", where);
  row.detectable = get<double>(entry, "detectable", where);
  row.pairs.log_ratios = get<std::vector<double>>(entry, "log_ratios", where);
  row.pairs.reference = get<std::vector<double>>(entry, "reference", where);
  if (!(row.ratio > 0)) throw Error(where + ": \"ratio\" is not positive");
  return row;
}

SelftestRun run_of(const json& entry, const std::string& where) {
  SelftestRun run;
  run.slowdown = get<double>(entry, "slowdown", where);
  run.neighbour = get<bool>(entry, "neighbour", where);
  run.seconds = get<double>(entry, "seconds", where);
  run.measuring_s = get<double>(entry, "measuring_s", where);
  const json rows = get<json>(entry, "rows", where);
  if (!rows.is_object()) throw Error(where + ": \"rows\" is not an object");
  for (const auto& [name, row] : rows.items())
    run.rows[name] = row_of(row, where + ", row " + name);
  return run;
}

Fingerprint machine_of(const json& context) {
  Measurements measurements;
  measurements.context = context;
  return measurements.fingerprint();
}

/// What the rows of a record depend on: a GPU's rows may be measured beside another CPU.
Device device_of_rows(const json& context, const std::string& where) {
  if (!context.contains("selftest")) return Device::both;
  const auto rows =
      get<std::set<std::string>>(get<json>(context, "selftest", where), "rows", where);
  std::set<Device> devices;
  for (const std::string& row : rows) devices.insert(device_of(row));
  return devices.size() == 1 ? *devices.begin() : Device::both;
}

void read_file(const std::filesystem::path& file, SelftestRecord& record) {
  std::istringstream lines(read_text(file));
  std::size_t number = 0;
  for (std::string text; std::getline(lines, text);) {
    const std::string where = fmt::format("{}, line {}", file.string(), ++number);
    const json line = parse_json(text, where);
    if (!line.is_object()) throw Error(where + " is not an object");
    if (!line.contains("context")) {
      if (number == 1) throw Error(where + " holds no \"context\": this is no selftest record");
      record.runs.push_back(run_of(line, where));
      continue;
    }
    const json context = get<json>(line, "context", where);
    if (!context.is_object()) throw Error(where + ": \"context\" is not an object");
    if (record.context.is_null()) record.context = context;
    const auto differences =
        machine_of(record.context).differences(machine_of(context), device_of_rows(context, where));
    if (!differences.empty())
      throw Error(fmt::format("{} is of another machine: {} is {} there, {} here", where,
                              differences.front().field, differences.front().stored,
                              differences.front().here));
  }
}

}  // namespace

SelftestWriter::SelftestWriter(const SelftestOptions& options, const std::set<std::string>& rows)
    : file_(options.record) {
  std::error_code ignored;
  if (file_.has_parent_path()) std::filesystem::create_directories(file_.parent_path(), ignored);
  stream_.open(file_, std::ios::app);
  json context = json::object();
  auto fields = fingerprint_fields();
  if (std::any_of(rows.begin(), rows.end(),
                  [](const std::string& row) { return device_of(row) == Device::opencl; }))
    fields.merge(opencl_fields());
  for (const auto& [key, value] : fields) context[key] = value;
  context["selftest"] = {{"rows", rows},
                         {"runs", options.runs},
                         {"slowed_runs", options.slowed_runs},
                         {"run_budget_s", options.run_budget_s},
                         {"neighbour", options.neighbour},
                         {"seed", options.seed}};
  line({{"context", context}});
}

void SelftestWriter::add(const SelftestRun& run) {
  json rows = json::object();
  for (const auto& [name, row] : run.rows)
    rows[name] = {{"verdict", row.verdict},
                  {"ratio", tidy_number(row.ratio)},
                  {"detectable", tidy_number(row.detectable)},
                  {"log_ratios", rounded(row.pairs.log_ratios)},
                  {"reference", rounded(row.pairs.reference)}};
  line({{"slowdown", tidy_number(run.slowdown)},
        {"neighbour", run.neighbour},
        {"seconds", tidy_number(run.seconds)},
        {"measuring_s", tidy_number(run.measuring_s)},
        {"rows", rows}});
}

void SelftestWriter::line(const json& value) {
  stream_ << value.dump() << "\n" << std::flush;
  if (!stream_)
    throw Error(fmt::format("{} cannot be written: {}", file_.string(), std::strerror(errno)));
}

std::string words(const SelftestRun& run) {
  std::map<std::string, int> counts;
  for (const auto& [name, row] : run.rows) ++counts[row.verdict];
  std::string text;
  for (const auto& [verdict, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, verdict);
  return text;
}

SelftestRecord read_selftest(const std::vector<std::filesystem::path>& files) {
  SelftestRecord record;
  for (const auto& file : files) read_file(file, record);
  if (record.runs.empty()) throw Error("the selftest record holds no run");
  return record;
}

}  // namespace ratchet::gate
