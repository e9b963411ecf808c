#include "perf/gate/baseline/converted.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "perf/support/error.h"
#include "perf/support/printable.h"

namespace ratchet::converted {

using nlohmann::json;

json member(const json& object, const char* key) {
  return object.is_object() ? object.value(key, json()) : json();
}

std::optional<double> number(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  std::istringstream stream(value.get<std::string>());
  double parsed = 0;
  return stream >> parsed && stream.eof() ? std::optional(parsed) : std::nullopt;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

json failed_row(json row, const std::string& reason) {
  row["error_occurred"] = true;
  row["error_message"] = reason;
  return row;
}

std::vector<double> numbers(const json& list) {
  std::vector<double> values;
  if (list.is_array())
    for (const json& value : list)
      values.push_back(number(value).value_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

Rows::Rows(std::string library, std::string what, std::string unit)
    : library_(std::move(library)), what_(std::move(what)), unit_(std::move(unit)) {}

json Rows::row(const std::string& name) {
  if (name.empty()) throw Error(fmt::format("{}: a benchmark of {} has no name", what_, library_));
  if (!names_.insert(name).second)
    throw Error(
        fmt::format("{}: {} has two benchmarks named {}; name them apart, and measure again", what_,
                    library_, printable(name, 80)));
  return {{"name", name},    {"run_type", "iteration"},     {"time_unit", unit_},
          {"iterations", 1}, {"time_basis", "1/real_time"}, {"cpu_time", 0},
          {"real_time", 0},  {"repetition_index", 0},       {"launch_index", "0"}};
}

void Rows::fail(const std::string& name, const std::string& reason) {
  rows_.push_back(failed_row(row(name), fmt::format("{} reports {}", library_, reason)));
}

void Rows::add(const std::string& name, const Launches& launches, bool of_cpu) {
  bool lacks = launches.empty(), wrong = false;
  for (const auto& samples : launches) {
    lacks |= samples.empty();
    for (const double seconds : samples) wrong |= !(seconds > 0) || !std::isfinite(seconds);
  }
  if (lacks) return fail(name, "no samples");
  if (wrong) return fail(name, "a time that is not a positive number");
  json sample = row(name);
  if (of_cpu) sample["time_basis"] = "1/cpu_time";
  int repetition = 0;
  for (std::size_t launch = 0; launch < launches.size(); ++launch)
    for (const double seconds : launches[launch]) {
      sample["launch_index"] = std::to_string(launch);
      sample["repetition_index"] = repetition++;
      sample["real_time"] = unit_ == "s" ? seconds : seconds * 1e9;
      if (of_cpu) sample["cpu_time"] = sample["real_time"];
      rows_.push_back(sample);
    }
}

void Rows::leave_out(const std::string& metric) { not_judged_.insert(printable(metric, 80)); }

json Rows::take(json context) {
  if (rows_.empty()) throw Error(fmt::format("{}: {} ran no benchmark", what_, library_));
  if (!not_judged_.empty()) context["not_judged"] = not_judged_;
  return {{"context", std::move(context)}, {"benchmarks", std::move(rows_)}};
}

}  // namespace ratchet::converted
