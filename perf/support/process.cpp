#include "perf/support/process.h"

#include <fmt/format.h>

#include <cstring>
#include <sstream>

#include "perf/support/child_process.h"
#include "perf/support/error.h"

namespace ratchet {

std::string ProcessResult::last_error() const {
  // What Google Benchmark says of every run is no reason of its end: a heading of two lines, the
  // second of which begins "Run on (", then caches, load and warnings.
  const auto is_of_every_run = [](const std::string& line) {
    for (const char* begin :
         {"***WARNING***", "Load Average: ", "CPU Caches:", "  L1 ", "  L2 ", "  L3 "})
      if (line.starts_with(begin)) return true;
    return false;
  };
  std::string last;
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);) {
    line.erase(line.find_last_not_of(" \t\r") + 1);
    if (line.starts_with("Run on ("))
      last.clear();
    else if (!line.empty() && !is_of_every_run(line))
      last = line;
  }
  return last;
}

std::string ProcessResult::describe() const {
  if (ok()) return "exited with code 0";
  if (timed_out) return fmt::format("did not finish within {:.3g} s and was killed", limit_s);
  const std::string said = last_error();
  const std::string tail = said.empty() ? "" : ": " + said;
  if (signal != 0)
    return fmt::format("was killed by signal {} ({})", signal, strsignal(signal)) + tail;
  return fmt::format("exited with code {}", exit_code) + tail;
}

ProcessResult run_process(const std::vector<std::string>& command, double limit_s,
                          const Environment& environment) {
  return ChildProcess(command, environment).finish(limit_s);
}

std::filesystem::path own_executable() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error("the file of this program cannot be found: " + error.message());
  return path;
}

void refuse_empty_values(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string before = i > 0 ? words[i - 1] : "";
    std::string option;
    if (word.empty() && before.starts_with("-") && before.find('=') == std::string::npos)
      option = before;
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      option = word.substr(0, word.size() - 1);
    if (!option.empty())
      throw Error(option +
                  " has an empty value (an unset variable?); give it a value, or leave the option "
                  "out");
    if (word.empty())
      throw Error("an argument is empty (an unset variable?); give it a value, or leave it out");
  }
}

}  // namespace ratchet
