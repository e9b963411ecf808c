#include "perf/identity/explain/build_code.h"

#include <fmt/format.h>

#include <sstream>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::explain {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> listed_objects(const fs::path& program) {
  const fs::path list = program.string() + ".objects";
  if (!fs::exists(list))
    throw Error(
        fmt::format("{} has no list of its object files ({}); run `ratchet explain` on the program "
                    "in its build folder",
                    program.string(), list.filename().string()));
  std::vector<fs::path> objects;
  std::istringstream lines(read_text(list));
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) objects.emplace_back(line);
  const auto linked = fs::last_write_time(program);
  for (const fs::path& object : objects) {
    std::error_code error;
    const auto compiled = fs::last_write_time(object, error);
    if (error)
      throw Error(fmt::format("{} is missing; build {} again", object.string(),
                              program.filename().string()));
    if (compiled > linked)
      throw Error(
          fmt::format("{} is newer than {}; finish the build", object.string(), program.string()));
  }
  return objects;
}

}  // namespace

BuildCode::BuildCode(const fs::path& program)
    : program_(program),
      objects_(listed_objects(program)),
      code_(objects_),
      libraries_(counters::libraries_of(program)) {
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const std::string stage = counters::stage_of_object(objects_[i]);
    if (!stage.empty()) stages_[stage] = static_cast<std::uint32_t>(i);
  }
}

std::uint32_t BuildCode::object_of(const std::string& stage) const {
  const auto found = stages_.find(stage);
  if (found == stages_.end())
    throw Error(fmt::format("{} has no stage {}", program_.string(), stage));
  return found->second;
}

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
