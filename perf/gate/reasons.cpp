#include "perf/gate/reasons.h"

#include "perf/explain/comparison.h"

namespace ratchet::gate {

void add_reasons(std::vector<RowReport>& reports, const BenchProgram& before,
                 const BenchProgram& now) {
  if (!before.is_ours() || !now.is_ours()) return;  // another program's build is not known
  explain::Comparison comparison(before.path(), now.path());
  for (RowReport& report : reports)
    if (report.verdict == Verdict::slower || report.verdict == Verdict::faster)
      report.reasons = comparison.reasons(report.name);
}

}  // namespace ratchet::gate
