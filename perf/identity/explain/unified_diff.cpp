#include "perf/identity/explain/unified_diff.h"

#include <sstream>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet::explain {

std::vector<std::string> unified_diff(const NamedLines& before, const NamedLines& now) {
  constexpr double limit_s = 60;
  if (before.lines == now.lines) return {};
  const ScratchFolder folder;
  std::vector<std::string> command = {"diff", "-U3"};
  for (const NamedLines* side : {&before, &now}) {
    const auto file = folder.path() / (side == &before ? "before" : "now");
    std::string text;
    for (const std::string& line : side->lines) text += line + "\n";
    write_atomically(file, text);
    command.push_back("--label=" + side->name);
    if (side == &now) command.push_back((folder.path() / "before").string());
    if (side == &now) command.push_back(file.string());
  }
  const ProcessResult result = run_process(command, limit_s);
  if (result.signal != 0 || result.timed_out || result.exit_code > 1)
    throw Error("diff: " + result.describe());
  std::vector<std::string> lines;
  std::istringstream stream(result.output);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace ratchet::explain
