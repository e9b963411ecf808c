#include "perf/gate/base/base_build.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "perf/gate/base/build_log.h"
#include "perf/identity/build/build_options.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/git.h"
#include "perf/support/json_file.h"
#include "perf/support/process.h"
#include "perf/support/terminal.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Command = std::vector<std::string>;

/// A submodule of a revision whose files the working tree has, or must have.
struct Submodule {
  fs::path repository;  ///< in the working tree
  fs::path path;        ///< in the tree of the revision
  std::string commit;
};

/// Those of a revision, and theirs. One that the working tree has not checked out, either, is left
/// out: both builds do without.
std::vector<Submodule> submodules_of(const fs::path& repository, const std::string& commit,
                                     const fs::path& path = {}) {
  std::vector<Submodule> all;
  std::istringstream entries(ask_git(repository, {"ls-tree", "-r", "-z", "--full-tree", commit}));
  for (std::string entry; std::getline(entries, entry, '\0');) {
    std::istringstream words(entry);
    std::string mode, kind, module;
    words >> mode >> kind >> module;
    if (kind != "commit") continue;
    const std::string name = entry.substr(entry.find('\t') + 1);
    const Submodule found{repository / name, path / name, module};
    if (!fs::exists(found.repository / ".git")) {
      const bool known = !ask_git(repository, {"ls-files", "--stage", "--", name}).empty();
      if (known) continue;
      throw Error(
          fmt::format("revision {} has a submodule {}, which is not in this clone; run git "
                      "submodule update --init, or choose another revision",
                      commit.substr(0, 12), found.path.string()));
    }
    all.push_back(found);
    if (!has_commit(found.repository, module))
      throw Error(
          fmt::format("revision {} needs its submodule {} at {}, which is not in this clone; {}",
                      commit.substr(0, 12), found.path.string(), module.substr(0, 12),
                      remote_of(found.repository).empty()
                          ? "choose another revision"
                          : fmt::format("run git -C {} fetch {} {}", found.repository.string(),
                                        remote_of(found.repository), module)));
    for (Submodule& inner : submodules_of(found.repository, module, found.path))
      all.push_back(std::move(inner));
  }
  return all;
}

using Inputs = std::map<std::string, std::set<fs::path>>;

/// By object, the files that its compiler read, where the build kept that.
Inputs inputs_of(const fs::path& build, const std::string& generator) {
  Inputs inputs;
  const auto absolute = [&](const std::string& file) { return (build / file).lexically_normal(); };
  if (generator.starts_with("Ninja")) {
    std::istringstream lines(run_process({"ninja", "-C", build.string(), "-t", "deps"}, 60).output);
    std::string object;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("    "))
        inputs[object].insert(absolute(line.substr(4)));
      else
        object = line.substr(0, line.find(": #deps"));
    }
    return inputs;
  }
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(build, ignored)) {
    if (entry.path().extension() != ".d") continue;
    std::istringstream words(read_text(entry.path()));
    const std::string object = entry.path().lexically_relative(build).string();
    for (std::string word; words >> word;)
      if (word != "\\" && !word.ends_with(":")) inputs[object].insert(absolute(word));
  }
  return inputs;
}

/// The files below `folder` that a program names, as one does that opens them where it was built.
std::set<fs::path> files_named_in(const fs::path& program, const fs::path& folder) {
  std::set<fs::path> files;
  const std::string text = read_text(program, std::size_t{1} << 31), front = folder.string() + "/";
  for (std::size_t at = text.find(front); at != text.npos; at = text.find(front, at + 1)) {
    std::size_t end = at;
    while (end < text.size() && static_cast<unsigned char>(text[end]) > 0x20) ++end;
    std::error_code error;
    if (const fs::path file = text.substr(at, end - at); fs::exists(file, error))
      files.insert(file.lexically_normal());
  }
  return files;
}

/// The options of the build folder that holds this CMakeCache.txt. A copied or moved folder's cache
/// names the folder that it came from, and CMake would build there or refuse.
BuildOptions options_of_folder(const fs::path& cache) {
  const fs::path folder = fs::absolute(cache).parent_path();
  BuildOptions options = read_build_options(cache);
  std::error_code error;
  if (is_of_another_folder(cache, options))
    throw Error(fmt::format(
        "{} was made for the build folder {}: the folder was copied or moved; "
        "configure it anew (cmake --fresh -S SOURCE -B {}), or name another (--build-dir)",
        cache.string(), options.build.string(), folder.string()));
  if (!fs::is_directory(options.source, error))
    throw Error(
        fmt::format("{} was made for the source folder {}, which does not exist; configure it anew "
                    "(cmake --fresh -S SOURCE -B {}), or name another (--build-dir)",
                    cache.string(), options.source.string(), folder.string()));
  return options;
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
                ? options_of_folder(options.like.empty() ? cache_of_this_build() : options.like)
                : BuildOptions{top_, top_, "command", {options.command}};
    if (!options.configure.empty()) like_.settings = options.configure;
    for (const std::string& name : options.off)
      if (like_.switch_off(name)) off_.push_back(name);
    submodules_ = submodules_of(top_, commit_);
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
    // After waiting for another ratchet, whose build this is no part of.
    const double start_s = seconds_now();
    BaseBuild result{commit_, source(), {}, log(), is_finished()};
    for (const fs::path& program : options_.programs) result.programs.push_back(build() / program);
    if (result.reused)
      require_target();
    else if (is_stamped())
      build_more();
    else
      build_anew();
    result.seconds = seconds_now() - start_s;
    return result;
  }

 private:
  void make_folder() const {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error)
      throw Error(fmt::format(
          "the folder {} for the build cannot be made: {}; run ratchet where it can write",
          folder_.string(), error.message()));
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
  std::string name() const { return named_commit(revision_, commit_); }

  std::string without() const {
    return off_.empty() ? "" : fmt::format(", without {}", fmt::join(off_, ", "));
  }

  json finished() const {
    json written = {{"commit", commit_},
                    {"generator", like_.generator},
                    {"settings", like_.settings},
                    {"key", like_.key()}};
    for (const Submodule& each : submodules_)
      written["submodules"][each.path.string()] = each.commit;
    return written;
  }
  bool is_stamped() const {
    try {
      return read_json(stamp()) == finished();
    } catch (const Error&) {  // none, or half of one
      return false;
    }
  }

  void build_anew() const {
    const double start_s = seconds_now();
    clear();
    if (options_.command != "true")  // there is nothing to build
      say(fmt::format("building revision {} {}{}; log: {}", name(),
                      options_.command.empty() ? "with the options of " + like_.build.string()
                                               : "by the command " + options_.command,
                      without(), log().string()));
    check_out();
    if (options_.command.empty()) configure();
    compile();
    require_same_inputs();
    write_atomically(stamp(), pretty(finished(), 1) + "\n");
    if (options_.command == "true") return;
    say(fmt::format("revision {} is built in {}; {} keeps it for later runs ({:.3g} MB)", name(),
                    duration(seconds_now() - start_s), shown_path(folder_),
                    std::max(1e5, static_cast<double>(size_of(folder_))) / 1e6));
  }

  static std::uintmax_t size_of(const fs::path& folder) {
    std::uintmax_t bytes = 0;
    std::error_code error;
    for (const fs::directory_entry& each : fs::recursive_directory_iterator(folder, error)) {
      std::error_code gone;
      if (each.is_regular_file(gone) && !each.is_symlink(gone)) bytes += each.file_size(gone);
    }
    return bytes;
  }

  /// A finished tree lacks a program that no earlier run needed. The stamp is removed first,
  /// because an interruption leaves half a program.
  void build_more() const {
    fs::remove(stamp());
    const auto finish = [&] { write_atomically(stamp(), pretty(finished(), 1) + "\n"); };
    try {
      compile();
    } catch (const Error&) {  // programs of earlier builds stay valid
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
        fail("the build makes no program " + program.string() +
             (options_.command.empty() ? "; --target names what makes it, --bench another program"
                                       : "; --bench names another program"));
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
    if (fs::exists(tree()))
      throw Error(tree().string() + " cannot be removed; remove it, then try again");
  }

  /// By an index of its own rather than `git worktree add`: no registration that a killed run would
  /// leave in the repository, and no hooks.
  void check_out() const {
    check_out(top_, commit_, tree());
    for (const Submodule& each : submodules_)
      check_out(each.repository, each.commit, tree() / each.path);
    if (options_.command.empty() && !fs::exists(source() / "CMakeLists.txt"))
      throw NoSuchProgram(fmt::format("revision {} does not build: it has no {}", name(),
                                      (fs::path(prefix_) / "CMakeLists.txt").string()));
  }

  void check_out(const fs::path& repository, const std::string& commit,
                 const fs::path& into) const {
    const fs::path index = folder_ / "index";
    const Command variables = {"GIT_INDEX_FILE=" + index.string()};
    std::error_code ignored;
    fs::remove(index, ignored);
    fs::remove(fs::path(index) += ".lock", ignored);
    run(git_command(repository, {"read-tree", commit}, variables));
    run(git_command(repository, {"checkout-index", "--all", "--prefix=" + into.string() + "/"},
                    variables));
    fs::remove(index, ignored);
  }

  /// A file that git ignores is in the working tree alone. A build that reads one, or a program
  /// that opens one where it was built, is not what the revision's is.
  void require_same_inputs() const {
    if (!options_.command.empty() || like_.build == fs::path(top_)) return;
    std::set<fs::path> lacking;
    const auto compare = [&](const std::set<fs::path>& here, const std::set<fs::path>& there) {
      for (const fs::path& file : here) {
        const fs::path place = file.lexically_relative(top_);
        const bool inside = !place.empty() && *place.begin() != "..";
        const bool built = *file.lexically_relative(like_.build).begin() != "..";
        if (inside && !built && !there.count(file) && !there.count(tree() / place) &&
            !fs::exists(tree() / place))
          lacking.insert(place);
      }
    };
    const Inputs base = inputs_of(build(), like_.generator);
    for (const auto& [object, files] : inputs_of(like_.build, like_.generator))
      if (const auto same = base.find(object); same != base.end()) compare(files, same->second);
    for (const fs::path& program : options_.programs)
      if (fs::exists(like_.build / program))
        compare(files_named_in(like_.build / program, top_),
                files_named_in(build() / program, top_));
    if (const std::string ignored = first_ignored(top_, lacking); !ignored.empty())
      throw Error(
          fmt::format("revision {} cannot be built like the working tree: the working tree reads "
                      "{}, a file that git ignores; commit it, or let the build make it",
                      name(), ignored));
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
    // The tree has no .git: git must not find the repository around it.
    arguments.insert(arguments.begin(),
                     {"env", "GIT_CEILING_DIRECTORIES=" + folder_.string(), "cmake"});
    run(arguments);
  }

  /// With stdout and stderr in the log, whose last line is shown.
  void run(const Command& command) const {
    constexpr auto interval = std::chrono::seconds(1);
    const Phase building("building revision " + name());
    Command logged = {"sh", "-c", "log=$1; shift; exec \"$@\" >>\"$log\" 2>&1", "sh",
                      log().string()};
    logged.insert(logged.end(), command.begin(), command.end());
    auto running =
        std::async(std::launch::async, [&] { return run_process(logged, options_.limit_s); });
    std::string shown;
    while (running.wait_for(interval) != std::future_status::ready) {
      const auto lines = last_lines(log(), 1);
      if (!lines.empty() && lines.back() != shown)
        building.now(fmt::format("{}: {}", commit_.substr(0, 12), shown = lines.back()));
    }
    const ProcessResult result = running.get();
    if (result.ok()) return;
    const auto lines = last_lines(log(), 400);
    if (result.timed_out || result.signal != 0 || lines.empty()) fail(result.describe());
    fail(complaint_in(lines));
  }

  static bool names_no_target(const std::string& why) {
    // Of make; where a file is wanted that is not there, "needed by" follows.
    return why.find("unknown target") != std::string::npos ||
           (why.find("No rule to make target") != std::string::npos &&
            why.find("needed by") == std::string::npos);
  }

  /// To the build in this folder, by a dry run.
  bool knows_target(const fs::path& folder) const {
    const ProcessResult dry =
        run_process({"cmake", "--build", folder.string(), "--target", options_.target, "--", "-n"},
                    options_.limit_s);
    return dry.ok() || !names_no_target(dry.output + dry.errors);
  }

  /// A build that an earlier run left needs no target, and must not hide that this one is unknown.
  void require_target() const {
    if (options_.command.empty() && !options_.target.empty() && !knows_target(like_.build) &&
        !knows_target(build()))
      fail_of_target();
  }

  [[noreturn]] void fail_of_target() const {
    throw Error(
        fmt::format("--target {0}: neither revision {1} nor the build in {2} has this target; "
                    "`cmake --build {2} --target help` lists them",
                    options_.target, name(), like_.build.string()));
  }

  [[noreturn]] void fail(const std::string& why) const {
    if (!names_no_target(why))
      throw Error(fmt::format(
          "revision {} does not build: {}; the log is {}; repair it, or name another revision{}",
          name(), why, log().string(),
          options_.command.empty() ? ", or the command that builds it (--build-cmd)" : ""));
    if (!options_.target.empty() && !knows_target(like_.build)) fail_of_target();
    throw NoSuchProgram(fmt::format("revision {} has no such program: {}; the log is {}", name(),
                                    why, log().string()));
  }

  const BaseBuildOptions& options_;
  std::string revision_;
  std::string commit_;
  fs::path top_;
  std::string prefix_;
  BuildOptions like_;
  std::vector<std::string> off_;  ///< switches that it has off, and `like` on
  std::vector<Submodule> submodules_;
  fs::path cache_, folder_;
};

}  // namespace

ProgramBuild build_of_program(const fs::path& program, const BaseBuildOptions& asked) {
  ProgramBuild build{fs::current_path(), asked};
  if (!asked.command.empty()) {
    build.options.programs = {fs::absolute(program).lexically_relative(build.repository)};
    return build;
  }
  if (asked.like.empty()) try {
      build.options.like = cache_of_build(program);
    } catch (const Error&) {  // without git a build folder would not help
      ask_git(fs::absolute(program).parent_path(), {"rev-parse", "--git-dir"});
      throw;
    }
  const BuildOptions like = options_of_folder(build.options.like);
  build.repository = like.source;
  const fs::path place = fs::absolute(program).lexically_normal().lexically_relative(like.build);
  if (place.empty() || *place.begin() == "..")
    throw Error(
        fmt::format("{} does not lie in the build folder {}, so that it is unknown what builds it; "
                    "name the program there (--bench)",
                    program.string(), like.build.string()));
  build.options.programs = {place};
  return build;
}

std::vector<std::string> unneeded_switches(const std::set<RowId>& rows) {
  const auto without_cuda = [](const RowId& row) {
    const Device device = row.device();
    return device == Device::cpu || device == Device::opencl;
  };
  if (rows.empty() || !std::all_of(rows.begin(), rows.end(), without_cuda)) return {};
  return {"RATCHET_CUDA"};
}

BaseBuildOptions spared(const fs::path& repository, const std::string& revision,
                        BaseBuildOptions options, const std::set<RowId>& rows) {
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
