#include "perf/identity/build/link_command.h"

#include <algorithm>
#include <sstream>

#include "perf/identity/build/build_options.h"
#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

/// The part of a shell line between "&&" that writes the program.
std::vector<std::string> link_in(const std::string& line, const fs::path& folder,
                                 const fs::path& program) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    if (word == "&&") {
      words.clear();
      continue;
    }
    words.push_back(word);
    if (words.size() < 2 || words[words.size() - 2] != "-o") continue;
    if (fs::weakly_canonical(folder / word) != program) continue;
    for (std::string rest; stream >> rest && rest != "&&";) words.push_back(rest);
    return words;
  }
  return {};
}

}  // namespace

std::vector<std::size_t> LinkCommand::objects() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const fs::path file = folder / words[i];
    if ((file.extension() == ".o" || file.extension() == ".a") && fs::exists(file))
      places.push_back(i);
  }
  return places;
}

std::string LinkCommand::word_of_shell() const {
  for (const std::string& word : words)
    if (word.find_first_of("\"'`$;|<>\\@*?(){}") != std::string::npos) return word;
  return "";
}

LinkCommand link_command(const fs::path& path) {
  const fs::path program = fs::canonical(path);
  fs::path build;
  try {
    build = cache_of_build(program).parent_path();
  } catch (const Error&) {
    throw Error("it lies in no build folder of CMake, so its object files are not known");
  }
  if (fs::exists(build / "build.ninja")) {
    const std::string target = program.lexically_relative(fs::canonical(build)).string();
    const ProcessResult asked =
        run_process({"ninja", "-C", build.string(), "-t", "commands", "-s", target}, 20);
    std::istringstream lines(asked.output);
    for (std::string line; std::getline(lines, line);)
      if (auto found = link_in(line, build, program); !found.empty())
        return {build, build, std::move(found)};
  }
  std::error_code ignored;
  for (fs::path folder = program.parent_path(); folder != build.parent_path() && folder != "/";
       folder = folder.parent_path()) {
    for (const auto& each : fs::directory_iterator(folder / "CMakeFiles", ignored)) {
      if (!fs::exists(each.path() / "link.txt")) continue;
      std::istringstream lines(read_text(each.path() / "link.txt"));
      for (std::string line; std::getline(lines, line);)
        if (auto found = link_in(line, folder, program); !found.empty())
          return {folder, build, std::move(found)};
    }
  }
  throw Error("its build does not tell how it is linked (CMake with Ninja or Makefiles does)");
}

void link_again(const LinkCommand& command, const fs::path& folder, const std::string& name,
                const std::vector<std::string>& before) {
  // The shell gets `folder` as $1, and so nothing of its name needs quotes.
  const auto in_folder = [](const std::string& file) { return "\"$1\"/" + file; };
  const std::vector<std::size_t> objects = command.objects();
  std::string line;
  for (std::size_t i = 0, object = 0; i < command.words.size(); ++i) {
    if (object < objects.size() && objects[object] == i) {
      if (object < before.size()) line += in_folder(before[object]) + " ";
      ++object;
    }
    line += (i > 0 && command.words[i - 1] == "-o" ? in_folder(name) : command.words[i]) + " ";
  }
  constexpr double limit_s = 120;
  const ProcessResult result = run_process(
      {"env", "-C", command.folder.string(), "sh", "-c", line, "sh", folder.string()}, limit_s);
  if (!result.ok()) throw Error("its link command fails when repeated: " + result.describe());
}

}  // namespace ratchet
