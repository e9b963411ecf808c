#include "perf/gate/base/base_build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "perf/support/error.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/git.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Command = std::vector<std::string>;

std::vector<std::string> last_lines(const fs::path& log, std::size_t count) {
  constexpr std::streamoff enough = 64 << 10;
  std::ifstream stream(log, std::ios::binary | std::ios::ate);
  const std::streamoff size = stream.tellg();
  stream.seekg(std::max<std::streamoff>(0, size - enough));
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    if (!trimmed(line).empty()) lines.push_back(trimmed(line));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<long>(count));
  return lines;
}

/// The line that says why: the first error of the tail, or its last line. A full disk comes before:
/// what a linker says after it is "error:", and sounds like a fault of the code.
std::string complaint_in(const std::vector<std::string>& lines) {
  for (const char* mark :
       {"No space left on device", "error:", "CMake Error", "unknown target", "No rule to make"}) {
    for (const std::string& line : lines) {
      if (line.find(mark) != std::string::npos) return line;
    }
  }
  return lines.empty() ? "no reason given" : lines.back();
}

/// All of one revision under one set of options.
class Place {
 public:
  Place(const fs::path& repository, std::string revision, const BaseBuildOptions& options)
      : options_(options), revision_(std::move(revision)) {
    commit_ = resolve_revision(repository, revision_);
    top_ = ask_git(repository, {"rev-parse", "--show-toplevel"});
    prefix_ = ask_git(repository, {"rev-parse", "--show-prefix"});
    like_ = options.command.empty()
                ? read_build_options(options.like.empty() ? cache_of_this_build() : options.like)
                : BuildOptions{top_, top_, "command", {options.command}};
    if (!options.configure.empty()) like_.settings = options.configure;
    for (const std::string& name : options.off)
      if (like_.switch_off(name)) off_.push_back(name);
    cache_ = fs::absolute(options.cache.empty() ? top_ / "results" / "base" : options.cache);
    folder_ = cache_ / fmt::format("{}-{}", commit_.substr(0, 12), like_.key().substr(0, 8));
  }

  bool is_finished() const {
    for (const fs::path& program : options_.programs) {
      if (access((build() / program).c_str(), X_OK) != 0) return false;
    }
    return is_stamped();
  }

  const std::vector<std::string>& off() const { return off_; }

  BaseBuild make() {
    make_folder();
    const FolderLock lock(folder_, "building", [this] {
      say("another ratchet is building this revision; waiting for it");
    });
    BaseBuild result{commit_, source(), {}, log(), is_finished()};
    for (const fs::path& program : options_.programs) result.programs.push_back(build() / program);
    if (!result.reused && is_stamped())
      build_more();
    else if (!result.reused)
      build_anew();
    return result;
  }

 private:
  void make_folder() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw Error(
          fmt::format("the folder {} cannot be made: {}", folder_.string(), error.message()));
    if (!fs::exists(cache_ / ".gitignore")) write_atomically(cache_ / ".gitignore", "*\n");
  }
  fs::path tree() const { return folder_ / "tree"; }
  fs::path source() const { return prefix_.empty() ? tree() : tree() / prefix_; }
  fs::path build() const { return options_.command.empty() ? like_.build_of(source()) : source(); }
  fs::path log() const { return folder_ / "build.log"; }
  fs::path stamp() const { return folder_ / "built.json"; }

  void say(const std::string& line) const {
    if (options_.progress) options_.progress(line);
  }
  std::string name() const {
    return commit_.starts_with(revision_) ? commit_.substr(0, 12)
                                          : revision_ + " (" + commit_.substr(0, 12) + ")";
  }

  std::string without() const {
    return off_.empty() ? "" : fmt::format(", without {}", fmt::join(off_, ", "));
  }

  json finished() const {
    return {{"commit", commit_},
            {"generator", like_.generator},
            {"settings", like_.settings},
            {"key", like_.key()}};
  }
  bool is_stamped() const {
    try {
      return read_json(stamp()) == finished();
    } catch (const Error&) {  // none, or half of one
      return false;
    }
  }

  void build_anew() const {
    clear();
    say(fmt::format("building revision {} with the options of {}{}; log: {}", name(),
                    like_.build.string(), without(), log().string()));
    check_out();
    if (options_.command.empty()) configure();
    compile();
    write_atomically(stamp(), pretty(finished(), 1) + "\n");
    say(fmt::format("revision {} is built", name()));
  }

  /// A finished tree lacks a program that nobody had asked for. Without the stamp meanwhile, for
  /// who interrupts this leaves half a program.
  void build_more() const {
    fs::remove(stamp());
    const auto finish = [&] { write_atomically(stamp(), pretty(finished(), 1) + "\n"); };
    try {
      compile();
    } catch (const Error&) {  // what was built before is as good as it was
      finish();
      throw;
    }
    finish();
  }

  void compile() const {
    options_.command.empty()
        ? compile_targets()
        : run({"env", "-C", source().string(), "GIT_CEILING_DIRECTORIES=" + folder_.string(), "sh",
               "-c", options_.command});
    for (const fs::path& program : options_.programs) {
      if (access((build() / program).c_str(), X_OK) != 0)
        fail("it makes no program " + program.string());
    }
  }

  void compile_targets() const {
    Command command = {"--build", build().string(), "--parallel",
                       std::to_string(std::max(1u, std::thread::hardware_concurrency())),
                       "--target"};
    for (const fs::path& program : options_.programs)
      command.push_back(options_.target.empty() ? program.filename().string() : options_.target);
    cmake(command);
  }

  /// A compiler that an interrupted run has left behind may still be writing: the old tree is moved
  /// out of its way before it is deleted.
  void clear() const {
    std::error_code ignored;
    fs::remove(stamp(), ignored);
    fs::remove(log(), ignored);
    const fs::path old = folder_ / "old";
    fs::remove_all(old, ignored);
    fs::rename(tree(), old, ignored);
    fs::remove_all(old, ignored);
    if (fs::exists(tree())) throw Error(tree().string() + " is in the way; remove it");
  }

  /// By an index of its own rather than `git worktree add`: no registration that a killed run would
  /// leave in the repository, and no hooks.
  void check_out() const {
    const fs::path index = folder_ / "index";
    const Command variables = {"GIT_INDEX_FILE=" + index.string()};
    std::error_code ignored;
    fs::remove(index, ignored);
    fs::remove(fs::path(index) += ".lock", ignored);
    run(git_command(top_, {"read-tree", commit_}, variables));
    run(git_command(top_, {"checkout-index", "--all", "--prefix=" + tree().string() + "/"}, variables));
    fs::remove(index, ignored);
    if (options_.command.empty() && !fs::exists(source() / "CMakeLists.txt"))
      fail("it has no " + (fs::path(prefix_) / "CMakeLists.txt").string());
  }

  void configure() const {
    Command command = {"--no-warn-unused-cli", "-S", source().string(), "-B", build().string()};
    if (options_.configure.empty()) {
      command.insert(command.end(), {"-G", like_.generator});
      for (const std::string& setting : like_.settings) command.push_back("-D" + setting);
    } else {
      command.insert(command.end(), options_.configure.begin(), options_.configure.end());
    }
    cmake(command);
  }

  void cmake(Command arguments) const {
    // The tree has no .git: a project that asks git must not be told of the repository around it.
    arguments.insert(arguments.begin(),
                     {"env", "GIT_CEILING_DIRECTORIES=" + folder_.string(), "cmake"});
    run(arguments);
  }

  /// With stdout and stderr in the log; what the build tool says last is told now and then.
  void run(const Command& command) const {
    constexpr auto interval = std::chrono::seconds(10);
    Command logged = {"sh", "-c", "log=$1; shift; exec \"$@\" >>\"$log\" 2>&1", "sh",
                      log().string()};
    logged.insert(logged.end(), command.begin(), command.end());
    auto running =
        std::async(std::launch::async, [&] { return run_process(logged, options_.limit_s); });
    while (running.wait_for(interval) != std::future_status::ready) {
      const auto lines = last_lines(log(), 1);
      if (!lines.empty()) say(fmt::format("{}: {}", commit_.substr(0, 12), lines.back()));
    }
    const ProcessResult result = running.get();
    if (result.ok()) return;
    const auto lines = last_lines(log(), 20);
    for (const std::string& line : lines) say("  " + line);
    fail(result.timed_out ? result.describe() : complaint_in(last_lines(log(), 400)));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(
        fmt::format("revision {} does not build: {}; the log is {}", name(), why, log().string()));
  }

  const BaseBuildOptions& options_;
  std::string revision_;
  std::string commit_;
  fs::path top_;
  std::string prefix_;
  BuildOptions like_;
  std::vector<std::string> off_;  ///< switches that it has off, and `like` on
  fs::path cache_, folder_;
};

}  // namespace

ProgramBuild build_of_program(const fs::path& program, const BaseBuildOptions& asked) {
  ProgramBuild build{fs::current_path(), asked};
  if (!asked.command.empty()) {
    build.options.programs = {fs::absolute(program).lexically_relative(build.repository)};
    return build;
  }
  if (asked.like.empty()) build.options.like = cache_of_build(program);
  const BuildOptions like = read_build_options(build.options.like);
  build.repository = like.source;
  build.options.programs = {
      fs::absolute(program).lexically_normal().lexically_relative(like.build)};
  return build;
}

std::vector<std::string> unneeded_switches(const std::set<std::string>& rows) {
  const auto without_cuda = [](const std::string& row) {
    const Device device = device_of(row);
    return device == Device::cpu || device == Device::opencl;
  };
  if (rows.empty() || !std::all_of(rows.begin(), rows.end(), without_cuda)) return {};
  return {"RATCHET_CUDA"};
}

BaseBuildOptions spared(const fs::path& repository, const std::string& revision,
                        BaseBuildOptions options, const std::set<std::string>& rows) {
  if (Place(repository, revision, options).is_finished()) return options;
  BaseBuildOptions without = options;
  without.off = unneeded_switches(rows);
  options.off = Place(repository, revision, without).off();
  return options;
}

BaseBuild build_revision(const fs::path& repository, const std::string& revision,
                         const BaseBuildOptions& options) {
  return Place(repository, revision, options).make();
}

}  // namespace ratchet::gate
