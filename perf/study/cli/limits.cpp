// `ratchet limits`: what this machine can do, resource by resource (perf/measure/peaks/limits.h).
#include "perf/measure/peaks/limits.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "perf/support/error.h"
#include "perf/study/cli/commands.h"

namespace ratchet {
namespace {

/// 1.655e13 as "16.55 T".
std::string scaled(double rate) {
  const char* prefix[] = {"", " k", " M", " G", " T", " P"};
  std::size_t power = 0;
  for (; rate >= 1000 && power + 1 < std::size(prefix); ++power) rate /= 1000;
  return fmt::format("{:.4g}{}", rate, prefix[power]);
}

void print_table(const std::vector<limits::Ceiling>& ceilings) {
  std::cout << "| Resource | Per second | Unit | Measured with |\n|---|---:|---|---|\n";
  for (const limits::Ceiling& each : ceilings)
    std::cout << fmt::format("| {} | {} | {} | {} |\n", each.resource,
                             each.unavailable.empty() ? scaled(each.per_second) : "-", each.unit,
                             each.unavailable.empty() ? each.what : each.unavailable);
}

/// One line per reason, however many resources share it.
void tell_unavailable(const std::vector<limits::Ceiling>& ceilings) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const limits::Ceiling& each : ceilings)
    if (!each.unavailable.empty()) by_reason[each.unavailable].push_back(each.resource);
  for (const auto& [reason, resources] : by_reason)
    std::cerr << "ratchet: not measured: " << fmt::format("{}", fmt::join(resources, " ")) << ": "
              << reason << "\n";
}

ExitCode run_limits(bool json) {
  const std::vector<limits::Ceiling> ceilings = limits::measure_all();
  if (json) {
    tell_unavailable(ceilings);
    std::cout << limits::to_json(ceilings, version());
  } else {
    print_table(ceilings);
  }
  const bool any = std::any_of(ceilings.begin(), ceilings.end(),
                               [](const auto& each) { return each.unavailable.empty(); });
  return any ? ExitCode::pass : ExitCode::nothing_ran;
}

}  // namespace

void add_limits_command(CLI::App& app, int& exit_code) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("limits", "Measure what this machine can do, resource by resource");
  command->add_flag("--json", *json, "For ratchet-bench --ratchet_limits");
  command->callback([json, &exit_code] { exit_code = static_cast<int>(run_limits(*json)); });
}

}  // namespace ratchet
