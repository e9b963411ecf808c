// `go test -bench`, as text and with -json.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "perf/gate/baseline/converted.h"
#include "perf/gate/baseline/other_formats.h"
#include "perf/support/error.h"
#include "perf/support/json_file.h"
#include "perf/support/printable.h"

namespace ratchet {
namespace {

using converted::Launches;
using converted::member;
using converted::Rows;
using nlohmann::json;

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<double> parsed(const std::string& word) {
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  return !word.empty() && *end == 0 ? std::optional(value) : std::nullopt;
}

bool is_number_of_calls(const std::string& word) {
  return word.find_first_not_of("0123456789") == word.npos && !word.empty();
}

/// The name of a benchmark, a function as Go names them, and its number of calls.
bool begins_result(const std::vector<std::string>& words) {
  constexpr std::size_t stem = std::string_view("Benchmark").size();
  return words.size() > 1 && words[0].starts_with("Benchmark") &&
         !(words[0].size() > stem && words[0][stem] >= 'a' && words[0][stem] <= 'z') &&
         is_number_of_calls(words[1]);
}

bool is_result(const std::vector<std::string>& words) {
  return begins_result(words) && words.size() > 3 && parsed(words[2]);
}

class GoReader {
 public:
  explicit GoReader(std::string what) : what_(std::move(what)) {}

  /// The output of one package, or of several after each other; `from` names it in errors.
  void read(const std::string& text, const std::string& from) {
    std::istringstream lines(text);
    int at = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = words_of(line);
      const std::string where = fmt::format("{}, line {}", from, ++at);
      if (words.empty()) continue;
      if (begins_result(words)) add(words, where);
      if (is_number_of_calls(words[0]) && words.size() > 2 && words[2] == "ns/op")
        throw Error(where +
                    " is a result without a name: the benchmark prints to standard output; "
                    "let it print to standard error");
      if (words[0] == "PASS" || words[0] == "FAIL") ++process_;
      if (words.size() < 2) continue;
      if (words[0] == "pkg:") package_ = words[1];
      if (words[0] == "cpu:") context_["cpu.model"] = printable(line.substr(line.find(words[1])));
      if (words[0] == "---" && words.size() > 2 && words[1] == "FAIL:" &&
          words[2].starts_with("Benchmark"))
        failed_.push_back(words[2]);
      if (words[0] == "FAIL") fail_in(words[1]);
    }
    if (!failed_.empty()) fail_in(package_);  // of a test binary, which does not say so again
  }

  json take() {
    Rows rows("go test", what_);
    for (const auto& [name, processes] : samples_) {
      Launches launches;
      for (const auto& [process, samples] : processes) launches.push_back(samples);
      rows.add(name, launches);
    }
    for (const std::string& name : failures_)
      if (!samples_.count(name)) rows.fail(name, "a failure");
    for (const std::string& unit : not_judged_) rows.leave_out(unit);
    return rows.take(std::move(context_));
  }

 private:
  void add(const std::vector<std::string>& words, const std::string& where) {
    if (words.size() < 4 || words.size() % 2 != 0)
      throw Error(where +
                  " is cut: after its name and number of calls, a benchmark's line has pairs "
                  "of a value and its unit");
    double seconds = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 2; i < words.size(); i += 2) {
      const std::string& unit = words[i + 1];
      const auto value = parsed(words[i]);
      if (!value)
        throw Error(fmt::format("{}: {} is not a number", where, printable(words[i], 40)));
      if (unit == "ns/op")
        seconds = 1e-9 * *value;
      else if (unit != "MB/s")  // which is by the same time
        not_judged_.insert(unit);
    }
    samples_[full_name(package_, words[0])][process_].push_back(seconds);
  }

  /// The benchmarks that failed last are of this package, or else it failed as a whole.
  void fail_in(const std::string& package) {
    for (const std::string& name : failed_) failures_.insert(full_name(package, name));
    if (failed_.empty() && !package.empty()) failures_.insert(package);
    failed_.clear();
  }

  static std::string full_name(const std::string& package, const std::string& name) {
    return package.empty() ? name : package + "." + name;
  }

  std::string what_, package_;
  std::size_t process_ = 0;
  std::map<std::string, std::map<std::size_t, std::vector<double>>> samples_;  ///< seconds a call
  std::vector<std::string> failed_;
  std::set<std::string> failures_, not_judged_;
  json context_ = json::object();
};

/// The output of each package in the events of `go test -json`; nothing for other text.
std::optional<std::map<std::string, std::string>> outputs_of(std::string_view text,
                                                             const std::string& what) {
  const std::string_view first = text.substr(0, text.find('\n'));
  if (!first.starts_with('{') || first.find("\"Action\"") == first.npos ||
      !member(json::parse(first, nullptr, false), "Action").is_string())
    return std::nullopt;
  std::map<std::string, std::string> outputs;
  std::istringstream lines{std::string(text)};
  int at = 0;
  for (std::string line; std::getline(lines, line);) {
    ++at;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    const json event = parse_json(line, fmt::format("{}, line {}", what, at));
    if (const json output = member(event, "Output"); output.is_string())
      outputs[converted::text_of(member(event, "Package"))] += output.get<std::string>();
  }
  return outputs;
}

/// Copies no file that is another's.
bool is_go(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with("goos: ") || line.starts_with("FAIL\t") ||  // of one that did not start
        (line.starts_with("Benchmark") && is_result(words_of(std::string(line)))))
      return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

std::optional<json> from_go(std::string_view text, const std::string& what) {
  GoReader reader(what);
  if (const auto outputs = outputs_of(text, what)) {
    for (const auto& [package, output] : *outputs)
      reader.read(output, fmt::format("{}, output of {}", what, package));
  } else if (is_go(text)) {
    reader.read(std::string(text), what);
  } else {
    return std::nullopt;
  }
  return reader.take();
}

}  // namespace ratchet
