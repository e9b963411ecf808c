#include "perf/identity/build/newer_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "perf/identity/build/build_options.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using Time = fs::file_time_type;

bool lies_below(const fs::path& file, const fs::path& folder) {
  return file == folder || file.string().starts_with(folder.string() + "/");
}

std::optional<Time> time_of(const fs::path& file) {
  std::error_code error;
  const Time time = fs::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

std::string text_of(const fs::path& file) try {
  std::error_code error;
  return fs::is_regular_file(file, error) ? read_text(file) : "";
} catch (const Error&) {  // it is gone, or not ours to read
  return "";
}

/// Which files count: those of the project, not of the system, nor what the build makes. A project
/// in a subfolder of a repository may be made of all of it.
class Project {
 public:
  explicit Project(const BuildOptions& options)
      : root_(plain_path(options.source)), build_(plain_path(options.build)) {
    std::error_code error;
    in_source_ = root_ == build_;
    for (fs::path folder = root_; folder.has_relative_path(); folder = folder.parent_path())
      if (fs::exists(folder / ".git", error)) {
        root_ = folder;
        break;
      }
  }
  bool has(const fs::path& file) const {
    return lies_below(file, root_) && (in_source_ || !lies_below(file, build_));
  }

 private:
  fs::path root_, build_;
  bool in_source_ = false;
};

fs::path newer_for_ninja(const fs::path& program, const BuildOptions& options) {
  constexpr double limit_s = 2;
  const std::string target =
      plain_path(program).lexically_relative(plain_path(options.build)).string();
  const ProcessResult dry =
      run_process({"ninja", "-C", options.build.string(), "-n", "-d", "explain", target}, limit_s);
  if (!dry.ok()) return {};
  // "output main.o older than most recent input ../main.cpp (1 vs 2)"; of what a target makes in
  // every build, nothing like it is said.
  const std::string mark = " older than most recent input ";
  const Project project(options);
  std::istringstream lines(dry.errors + dry.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("ninja explain: command line changed for "))
      return options.build / "build.ninja";  // other options of the compiler or linker
    const std::size_t at = line.find(mark);
    if (at == line.npos || !line.starts_with("ninja explain: ")) continue;
    const std::string name = line.substr(at + mark.size());
    const fs::path input = (options.build / name.substr(0, name.rfind(" ("))).lexically_normal();
    if (project.has(input)) return input;
  }
  return {};
}

/// As outputs are compared; a file that cannot be reached stays as it is named.
fs::path real(const fs::path& file) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(file, error);
  return error ? file : found;
}

const char* const quotes_of_shell = "\"'";

/// The words of a text with backslashes and quotes. Make has no quotes, and doubles its $. A
/// backslash before the end of a line goes on with the next one.
std::vector<std::string> words_of(const std::string& text, const std::string& quotes = "") {
  std::vector<std::string> words(1);
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '\\' && quote != '\'' && i + 1 < text.size() && text[i + 1] != '\n')
      words.back() += text[++i];
    else if (quote ? letter == quote : quotes.find(letter) != quotes.npos)
      quote = quote ? 0 : letter;
    else if (!quote && (letter == ' ' || letter == '\n' || letter == '\\'))
      words.emplace_back();
    else if (letter != '$' || words.back().empty() || words.back().back() != '$')
      words.back() += letter;
  }
  std::erase(words, "");
  return words;
}

/// What the Makefiles of CMake link, and what their objects are made of.
class MakeBuild {
 public:
  explicit MakeBuild(const BuildOptions& options) : options_(options), project_(options) {
    std::istringstream targets(text_of(options.build / "CMakeFiles" / "TargetDirectories.txt"));
    for (std::string line; std::getline(targets, line);) read_links(line);
  }

  fs::path newer_source(const fs::path& output) {
    const auto time = time_of(output);
    if (!time) return {};
    const fs::path list = newer_list();
    return list.empty() ? newer_of(real(output), *time) : list;
  }

 private:
  /// A CMakeLists.txt, or what one includes, that is newer than the Makefiles: make runs CMake
  /// first.
  fs::path newer_list() const {
    const fs::path made = options_.build / "CMakeFiles";
    const auto time = time_of(made / "cmake.check_cache");
    std::istringstream lines(text_of(made / "Makefile.cmake"));
    bool listed = false;  // 'set(CMAKE_MAKEFILE_DEPENDS', a line each in quotes, ")"
    for (std::string line; time && std::getline(lines, line);) {
      if (line.starts_with("set(")) listed = line == "set(CMAKE_MAKEFILE_DEPENDS";
      const std::size_t begin = line.find('"'), end = line.rfind('"');
      if (!listed || begin == end) continue;
      const fs::path list = full(line.substr(begin + 1, end - begin - 1));
      if (const auto changed = time_of(list); changed && *changed > *time && project_.has(list))
        return list;
    }
    return {};
  }

  /// Of a target: "c++ main.o -o program libone.a", "ar qc libone.a one.o".
  void read_links(const fs::path& target) {
    const fs::path folder = target.parent_path().parent_path();  // where its commands run
    std::istringstream lines(text_of(target / "link.txt"));
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> words = words_of(line, quotes_of_shell);
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].starts_with("@")) {  // a file of further words
          const auto more = words_of(text_of(folder / words[i].substr(1)), quotes_of_shell);
          words.insert(words.end(), more.begin(), more.end());
        }
      }
      auto output = std::find(words.begin(), words.end(), "-o");
      output = output == words.end()
                   ? std::find_if(words.begin(), words.end(),
                                  [](const std::string& word) { return word.ends_with(".a"); })
                   : output + 1;
      if (output >= words.end()) continue;
      auto& inputs = inputs_[real(folder / *output)];
      for (auto word = words.begin(); word != words.end(); ++word)
        if (word != output && !word->starts_with("-")) inputs.push_back(folder / *word);
    }
  }

  /// `made`: when the oldest file was made that has the output in it.
  fs::path newer_of(const fs::path& output, Time made) {
    const auto link = inputs_.find(output);
    if (link == inputs_.end() || !seen_.insert({output, made}).second) return {};
    for (const fs::path& input : link->second) {
      const auto time = time_of(input);
      if (!time) continue;
      const std::string name = input.filename().string();
      const bool object = name.ends_with(".o");
      // A shared library is loaded as it is now.
      const bool shared = !object && name.find(".so") != name.npos;
      const Time oldest = shared ? *time : std::min(made, *time);
      const fs::path found =
          object ? newer_in_object(input, oldest) : newer_of(real(input), oldest);
      if (!found.empty()) return found;
    }
    return {};
  }

  fs::path newer_in_object(const fs::path& object, Time made) {
    // CMake writes this file anew where the options of the compiler are others than before.
    const std::string name = object.string();
    if (const std::size_t end = name.find(".dir/"); end != name.npos) {
      const fs::path flags = name.substr(0, end) + ".dir/flags.make";
      if (const auto time = time_of(flags); time && *time > made) return flags;
    }
    for (const fs::path& source : sources_of(object)) {
      if (!project_.has(source)) continue;
      const auto [known, fresh] = times_.try_emplace(source);
      if (fresh) known->second = time_of(source);
      if (known->second && *known->second > made) return source;
    }
    return {};
  }

  /// The compiler's list, or that of CMake's own scanner.
  std::vector<fs::path> sources_of(const fs::path& object) {
    std::vector<fs::path> sources;
    const auto words = words_of(text_of(object.string() + ".d"));
    auto word = std::find_if(words.begin(), words.end(),
                             [](const std::string& each) { return each.ends_with(":"); });
    for (; word != words.end(); ++word)
      if (!word->ends_with(":")) sources.push_back(full(*word));
    if (!sources.empty()) return sources;
    const std::string name = object.string();
    if (const std::size_t end = name.find(".dir/"); end != name.npos)
      read_scanned(name.substr(0, end) + ".dir/depend.internal");
    return scanned_[full(object)];
  }

  /// Each object of a target, and below it, after a space, what it is made of.
  void read_scanned(const fs::path& list) {
    if (!lists_.insert(list).second) return;
    std::istringstream lines(text_of(list));
    std::vector<fs::path>* sources = nullptr;
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(" "))
        sources = &scanned_[full(line)];
      else if (sources)
        sources->push_back(full(line.substr(1)));
    }
  }

  fs::path full(const fs::path& name) const { return (options_.build / name).lexically_normal(); }

  const BuildOptions& options_;
  Project project_;
  std::map<fs::path, std::vector<fs::path>> inputs_;  ///< by output
  std::set<std::pair<fs::path, Time>> seen_;
  std::map<fs::path, std::optional<Time>> times_;
  std::map<fs::path, std::vector<fs::path>> scanned_;  ///< by object
  std::set<fs::path> lists_;                           ///< that were read
};

}  // namespace

fs::path newer_source(const fs::path& program) try {
  const fs::path cache = cache_of_build(program);
  const BuildOptions options = read_build_options(cache);
  if (is_of_another_folder(cache, options)) return {};  // its sources are another checkout's
  if (options.generator.starts_with("Ninja")) return newer_for_ninja(program, options);
  if (options.generator == "Unix Makefiles") return MakeBuild(options).newer_source(program);
  return {};
} catch (const Error&) {  // of no build folder
  return {};
}

}  // namespace ratchet
