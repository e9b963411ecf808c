#include "perf/measure/bench/work.h"

#include <fmt/format.h>

#include "perf/identity/digests/work_digest.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::bench {

std::map<RowId, explain::RowWork> work_of(const Selection& selection, const Options& options) {
  std::map<RowId, explain::RowWork> work;
  if (options.slowdown) return work;
  const auto stages = counters::read_work_manifest(own_executable());
  const std::string input = options.input.empty() ? "" : sha1(read_text(options.input));
  for (const StageRow& row : selection.rows) {
    const auto code = stages.find(row.stage->info().name);
    if (code == stages.end()) continue;
    explain::RowWork& of = work[row.name];
    of.code = code->second;
    of.input = input;
    std::string text = code->second + " " + input;
    for (const Parameter& parameter : row.parameters.all()) {
      text += fmt::format("\n{}={}", parameter.name, parameter.value);
      of.parameters[parameter.name] = std::to_string(parameter.value);
    }
    of.digest = sha1(text);
  }
  return work;
}

}  // namespace ratchet::bench
