#include "perf/bench/work.h"

#include <fmt/format.h>

#include "perf/counters/work_digest.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"
#include "perf/support/process.h"

namespace ratchet::bench {

std::map<std::string, std::string> work_of(const Selection& selection, const Options& options) {
  std::map<std::string, std::string> work;
  if (options.slowdown) return work;
  const auto stages = counters::read_work_manifest(own_executable());
  const std::string input = options.input.empty() ? "" : sha1(read_text(options.input));
  for (const StageRow& row : selection.rows) {
    const auto code = stages.find(row.stage->info().name);
    if (code == stages.end()) continue;
    std::string text = code->second + " " + input;
    for (const Parameter& parameter : row.parameters.all())
      text += fmt::format("\n{}={}", parameter.name, parameter.value);
    work[row.name] = sha1(text);
  }
  return work;
}

}  // namespace ratchet::bench
