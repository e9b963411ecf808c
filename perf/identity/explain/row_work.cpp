#include "perf/identity/explain/row_work.h"

#include <sstream>

#include "perf/support/json_file.h"
#include "perf/support/json_node.h"
#include "perf/support/process.h"

namespace ratchet::explain {

std::map<RowId, RowWork> row_works(const std::filesystem::path& program,
                                   const std::vector<std::string>& arguments) {
  constexpr double limit_s = 60;
  std::vector<std::string> command = {program.string(), "--ratchet_list_work=true",
                                      "--benchmark_filter=."};
  command.insert(command.end(), arguments.begin(), arguments.end());
  const ProcessResult result = run_process(command, limit_s);
  std::map<RowId, RowWork> works;
  if (!result.ok()) return works;
  std::istringstream lines(result.output);
  const std::string what = program.string() + " --ratchet_list_work";
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const nlohmann::json parsed = parse_json(line, what);
    const Node said(parsed, what);
    if (said.has("context")) continue;  // the first line describes the machine
    RowWork& work = works[said.at("row").text()];
    work.digest = said.at("work").text();
    work.code = said.text_or_empty("code");
    work.input = said.text_or_empty("input");
    if (said.has("parameters")) work.parameters = said.at("parameters").text_map();
  }
  return works;
}

}  // namespace ratchet::explain
