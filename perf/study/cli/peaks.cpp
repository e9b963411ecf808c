// `ratchet peaks`: what this machine can do, resource by resource (perf/measure/peaks/peaks.h).
#include "perf/measure/peaks/peaks.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "perf/study/cli/commands.h"
#include "perf/support/error.h"
#include "perf/support/terminal.h"

namespace ratchet {
namespace {

/// 1.655e13 as "16.55 T".
std::string scaled(double rate) {
  const char* prefix[] = {"", " k", " M", " G", " T", " P"};
  std::size_t power = 0;
  for (; rate >= 1000 && power + 1 < std::size(prefix); ++power) rate /= 1000;
  return fmt::format("{:.4g}{}", rate, prefix[power]);
}

void print_table(const std::vector<peaks::Peak>& peaks) {
  std::cout << "| Resource | Per second | Unit | Measured with |\n|---|---:|---|---|\n";
  for (const peaks::Peak& each : peaks)
    std::cout << fmt::format("| {} | {} | {} | {} |\n", each.resource,
                             each.unavailable.empty() ? scaled(each.per_second) : "-", each.unit,
                             each.unavailable.empty() ? each.what : each.unavailable);
}

/// One line per reason, however many resources share it.
void tell_unavailable(const std::vector<peaks::Peak>& peaks) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const peaks::Peak& each : peaks)
    if (!each.unavailable.empty()) by_reason[each.unavailable].push_back(each.resource);
  for (const auto& [reason, resources] : by_reason)
    std::cerr << "ratchet: not measured: " << fmt::format("{}", fmt::join(resources, " ")) << ": "
              << reason << "\n";
}

ExitCode run_peaks(bool json) {
  const std::vector<peaks::Peak> peaks = [] {
    const Phase steps;
    return peaks::measure_all([&](const std::string& line) { steps.now(line); });
  }();
  if (json) {
    tell_unavailable(peaks);
    std::cout << peaks::to_json(peaks, version());
  } else {
    print_table(peaks);
  }
  const bool any = std::any_of(peaks.begin(), peaks.end(),
                               [](const auto& each) { return each.unavailable.empty(); });
  return any ? ExitCode::pass : ExitCode::nothing_ran;
}

}  // namespace

void add_peaks_command(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("peaks", "measure the peak rates of this machine");
  command->add_flag("--json", *json,
                    "print JSON, for `ratchet gate --peaks` and `ratchet-bench --ratchet_peaks`");
  command->footer(
      "Exit codes: 0 measured, 2 failed, 77 no peak can be measured here.\n"
      "Example:\n"
      "  ratchet peaks --json >peaks.json");
  command->callback([json, &exit_code] { exit_code = static_cast<int>(run_peaks(*json)); });
}

}  // namespace ratchet
