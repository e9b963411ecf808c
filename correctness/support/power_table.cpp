#include "correctness/support/power_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace ratchet::correctness {

std::string power_table(const TestResults& on_cpu, const TestResults& on_gpu) {
  std::string table = "| test | on a CPU | on a GPU |\n|---|---|---|\n";
  for (const TestResult& test : on_cpu) {
    if (test.is_exact()) continue;
    const auto same = std::find_if(on_gpu.begin(), on_gpu.end(), [&](const TestResult& other) {
      return other.name == test.name;
    });
    table += fmt::format("| {} | {} | {} |\n", test.name, test.power,
                         same == on_gpu.end() ? "-" : same->power);
  }
  return table;
}

}  // namespace ratchet::correctness
