#include "correctness/support/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ratchet::correctness {

Finding exact(std::string test, bool held, std::string seen) {
  return {std::move(test), std::move(seen), held ? 1.0 : 0.0, "any single difference"};
}

bool any_rejected(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.rejected(); });
}

std::string summary(const Findings& findings) {
  std::string rejected, held;
  for (const Finding& finding : findings) {
    if (finding.rejected())
      rejected += fmt::format("{}{}: {} (p = {:.2g})", rejected.empty() ? "" : "; ", finding.test,
                              finding.seen, finding.p);
    else
      held += (held.empty() ? "" : ", ") + finding.test;
  }
  return rejected.empty() ? held : rejected;
}

void append(Findings& findings, Findings more) {
  findings.insert(findings.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
}

}  // namespace ratchet::correctness
