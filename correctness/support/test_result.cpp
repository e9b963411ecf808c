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

}  // namespace ratchet::correctness
