#include "perf/gate/reasons.h"

#include <fmt/format.h>

#include "perf/support/error.h"
#include "perf/identity/explain/comparison.h"

namespace ratchet::gate {
namespace {

/// For a look beside the reasons; `ratchet explain` shows all of it.
constexpr std::size_t most_listings = 5, most_lines = 160;

std::vector<std::string> listing_of(explain::Comparison& comparison, const std::string& row) {
  try {
    std::vector<std::string> lines = comparison.listings(row);
    if (lines.size() <= most_lines) return lines;
    const std::size_t more = lines.size() - most_lines;
    lines.resize(most_lines);
    lines.push_back(fmt::format("... {} more lines", more));
    return lines;
  } catch (const Error&) {  // no disassembler, or no objects: the reasons have said so
    return {};
  }
}

}  // namespace

void add_reasons(std::vector<RowReport>& reports, const BenchProgram& before,
                 const BenchProgram& now) {
  if (!before.is_ours() || !now.is_ours()) return;  // another program's build is not known
  explain::Comparison comparison(before.path(), now.path());
  std::size_t listings = 0;
  for (RowReport& report : reports) {
    if (report.verdict != Verdict::slower && report.verdict != Verdict::faster) continue;
    for (std::string& reason : comparison.reasons(report.name))
      report.reasons.push_back(std::move(reason));
    if (listings++ < most_listings) report.listing = listing_of(comparison, report.name);
  }
}

}  // namespace ratchet::gate
