#include "correctness/support/test_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace ratchet::correctness {

TestResult exact(std::string name, bool held, std::string seen) {
  return {std::move(name), std::move(seen), held ? 1.0 : 0.0, kSeesAnything};
}

bool any_rejected(const TestResults& tests) {
  return std::any_of(tests.begin(), tests.end(),
                     [](const TestResult& test) { return test.rejected(); });
}

bool rejected_by(const TestResults& tests, const std::string& name) {
  for (const TestResult& test : tests)
    if (test.name == name) return test.rejected();
  throw std::invalid_argument("no test is called " + name);
}

std::string summary(const TestResults& tests) {
  std::string rejected, held;
  for (const TestResult& test : tests) {
    if (test.rejected())
      rejected += fmt::format("{}{}: {} (p = {:.2g})", rejected.empty() ? "" : "; ", test.name,
                              test.seen, test.p);
    else
      held += (held.empty() ? "" : ", ") + test.name;
  }
  return rejected.empty() ? held : rejected;
}

void append(TestResults& tests, TestResults more) {
  tests.insert(tests.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

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
