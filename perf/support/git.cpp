#include "perf/support/git.h"

#include <fmt/format.h>

#include <sstream>

#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/process.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;
using Command = std::vector<std::string>;

constexpr const char* without_git =
    "; `ratchet compare --exec OLD --exec NEW` compares two programs without git";
constexpr const char* shows_others = "; `git log --oneline` shows those it has";

std::string commit_of(const fs::path& repository, const std::string& revision) {
  const ProcessResult result = run_process(
      git_command(repository, {"rev-parse", "--verify", "--quiet", revision + "^{commit}"}), 60);
  return result.ok() ? trimmed(result.output) : "";
}

/// What may bring a commit that is gone, and what names another base: commands that this clone can
/// run.
std::string instead_of(const fs::path& repository, const std::string& revision) {
  const std::string remote = remote_of(repository);
  const std::string head = commit_of(repository, "HEAD");
  // Pipelines pass forty zeros where there is no commit.
  const bool none = revision.find_first_not_of('0') == std::string::npos;
  std::string hint =
      remote.empty() || none ? "" : "; `git fetch " + remote + " " + revision + "` may bring it";
  for (const std::string& branch : {remote + "/HEAD", remote + "/main", remote + "/master",
                                    std::string("main"), std::string("master")}) {
    if (branch.front() == '/' || head.empty()) continue;
    const std::string tip = commit_of(repository, branch);
    if (tip.empty()) continue;
    const ProcessResult base =
        run_process(git_command(repository, {"merge-base", "HEAD", branch}), 60);
    if (base.ok() && trimmed(base.output) != head)
      return hint + "; `git merge-base HEAD " + branch + "` names another base";
  }
  return hint + shows_others;
}

}  // namespace

std::string remote_of(const fs::path& repository) {
  std::istringstream names(run_process(git_command(repository, {"remote"}), 60).output);
  std::string first;
  for (std::string name; names >> name;) {
    if (name == "origin") return name;
    if (first.empty()) first = name;
  }
  return first;
}

Command git_command(const fs::path& repository, const Command& arguments,
                    const Command& variables) {
  Command command = {"env",           "-u", "GIT_DIR",        "-u",
                     "GIT_WORK_TREE", "-u", "GIT_INDEX_FILE", "LC_ALL=C"};
  command.insert(command.end(), variables.begin(), variables.end());
  command.insert(command.end(), {"git", "-C", fs::absolute(repository).string()});
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

std::string trimmed(const std::string& text) {
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  return end == std::string::npos ? "" : text.substr(0, end + 1);
}

std::string ask_git(const fs::path& repository, const Command& arguments) {
  const ProcessResult result = run_process(git_command(repository, arguments), 60);
  if (result.exit_code == 127)  // `env` did not find it
    throw Error(
        fmt::format("git is not installed, or not on PATH, so no other revision can be "
                    "built: install it (apt install git){}",
                    without_git));
  if (result.errors.find("dubious ownership") != std::string::npos)
    throw Error(
        fmt::format("git refuses {}, which belongs to another user; run git config --global --add "
                    "safe.directory {}",
                    repository.string(), repository.string()));
  if (result.errors.find("not a git repository") != std::string::npos)
    throw Error(fmt::format("{} is in no git repository, so there is no other revision to build{}",
                            plain_path(repository).string(), without_git));
  if (!result.ok())
    throw Error(fmt::format("git {} fails in {}: {}", arguments.front(), repository.string(),
                            result.describe()));
  return trimmed(result.output);
}

std::string resolve_revision(const fs::path& repository, const std::string& revision) {
  ask_git(repository, {"rev-parse", "--git-dir"});  // says so where there is no repository
  if (!revision.empty() && revision[0] != '-')
    if (const std::string commit = commit_of(repository, revision); !commit.empty()) return commit;
  const bool shallow = is_shallow(repository);
  const bool whole =
      revision.size() == 40 && revision.find_first_not_of("0123456789abcdef") == std::string::npos;
  throw Error(fmt::format("{} has no revision \"{}\"{}", repository.string(), revision,
                          shallow ? ": this clone is shallow, `git fetch --unshallow` brings the "
                                    "older ones (in a workflow: fetch-depth: 0)"
                          : whole ? ": it is gone, as after a force-push, or was never fetched" +
                                        instead_of(repository, revision)
                                  : shows_others));
}

bool has_commit(const fs::path& repository, const std::string& commit) {
  return run_process(git_command(repository, {"cat-file", "-e", commit + "^{commit}"}), 60).ok();
}

std::string first_ignored(const fs::path& repository, const std::set<fs::path>& files) {
  for (const fs::path& file : files) {
    const Command asked = {"check-ignore", "--", file.string()};
    if (run_process(git_command(repository, asked), 60).ok()) return file.string();
  }
  return "";
}

bool is_ancestor(const fs::path& repository, const std::string& commit) {
  return run_process(git_command(repository, {"merge-base", "--is-ancestor", commit, "HEAD"}), 60)
      .ok();
}

std::string first_change(const fs::path& repository, const std::vector<fs::path>& except) {
  const fs::path top = fs::canonical(top_of(repository));
  std::vector<std::string> asked = {"diff", "--name-only", "HEAD", "--", ":(top)"};
  for (const fs::path& folder : except) {
    if (folder.empty()) continue;
    const fs::path inside = fs::weakly_canonical(fs::absolute(folder)).lexically_relative(top);
    if (!inside.empty() && inside != "." && !inside.string().starts_with(".."))
      asked.push_back(":(top,exclude,literal)" + inside.string());
  }
  const std::string changed = ask_git(repository, asked);
  return changed.substr(0, changed.find('\n'));
}

std::string last_change(const fs::path& file) {
  const fs::path folder = fs::absolute(file).parent_path();
  const std::string name = file.filename().string();
  const ProcessResult changed =
      run_process(git_command(folder, {"status", "--porcelain", "--", name}), 60);
  if (!changed.ok() || !trimmed(changed.output).empty()) return "";
  const ProcessResult last =
      run_process(git_command(folder, {"log", "-1", "--format=%H", "--", name}), 60);
  return last.ok() ? trimmed(last.output) : "";
}

fs::path top_of(const fs::path& folder) try {
  return ask_git(folder, {"rev-parse", "--show-toplevel"});
} catch (const Error&) {  // no git here
  return "";
}

bool is_shallow(const fs::path& folder) try {
  return ask_git(folder, {"rev-parse", "--is-shallow-repository"}) == "true";
} catch (const Error&) {  // no git here
  return false;
}

std::string described_revision(const fs::path& folder, const fs::path& except) {
  try {
    const std::string commit =
        ask_git(folder, {"describe", "--always", "--abbrev=12", "--exclude=*"});
    return commit + (first_change(folder, {except}).empty() ? "" : "-dirty");
  } catch (const Error&) {  // no git here
    return "unknown";
  }
}

}  // namespace ratchet
