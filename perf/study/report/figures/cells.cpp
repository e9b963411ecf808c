#include "perf/study/report/figures/cells.h"

#include <fmt/format.h>

#include <algorithm>

namespace ratchet::report {

std::string format_speed(const Published& published, double units_per_second) {
  if (published.rate) return format_rate(units_per_second * published.rate->seconds);
  return format_seconds(published.scale_units / units_per_second);
}

std::string speed_header(const Published& published) {
  return published.rate ? published.rate->label : "time for " + published.scale_label;
}

std::string stage_cell(const Published& published, const RowId& row) {
  if (row.empty()) return "-";
  auto mark = published.marks.find(row.text());
  if (mark == published.marks.end()) mark = published.marks.find(row.stage());
  return "`" + row.text() + "`" + (mark == published.marks.end() ? "" : " (" + mark->second + ")");
}

std::string speed_cell(const Published& published, const Machine& machine, const RowId& row) {
  const auto throughput = machine.throughput(row);
  if (!throughput) return "";
  std::string cell = format_speed(published, *throughput);
  if (const auto share = machine.limit_percent(row)) cell += fmt::format(" ({:.0f} %)", *share);
  return machine.disturbed(row) ? cell + kDisturbed : cell;
}

std::string machine_header(const Machine& machine, const std::vector<std::string>& stages) {
  const auto through_opencl = [](const RowId& stage) { return stage.device() == Device::opencl; };
  const bool says =
      machine.opencl_on_cpu() && std::any_of(stages.begin(), stages.end(), through_opencl);
  return machine.name + (says ? " (OpenCL on its CPU)" : "");
}

std::optional<double> published_speed(const Published& published, const Figure& figure) {
  if (figure.units_per_second) return figure.units_per_second;
  if (figure.seconds && !published.rate) return published.scale_units / *figure.seconds;
  return std::nullopt;
}

void dash_empty(std::vector<std::string>& cells) {
  for (std::string& cell : cells) {
    if (cell.empty()) cell.push_back('-');
  }
}

bool all_empty(const std::vector<std::string>& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const auto& cell) { return cell.empty(); });
}

}  // namespace ratchet::report
