#include "perf/gate/provenance.h"

#include <cstdlib>
#include <regex>
#include <sstream>

#include "perf/identity/build/build_options.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/git.h"
#include "perf/support/printable.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The answer of git, or nothing: a run needs no repository.
std::string git_answer(const fs::path& folder, const std::vector<std::string>& arguments) try {
  return ask_git(folder, arguments);
} catch (const Error&) {
  return "";
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string web_address(const std::string& text) { return is_web_address(text) ? text : ""; }

struct Forge {
  std::string url, run, branch, base_branch;
};

/// What the variables of a CI job say of it; all empty elsewhere.
Forge forge_of_job() {
  if (const std::string repository = environment("GITHUB_REPOSITORY"); !repository.empty()) {
    const std::string url = web_address(environment("GITHUB_SERVER_URL") + "/" + repository);
    const std::string run = environment("GITHUB_RUN_ID"), head = environment("GITHUB_HEAD_REF");
    return {url, url.empty() || run.empty() ? "" : web_address(url + "/actions/runs/" + run),
            head.empty() ? environment("GITHUB_REF_NAME") : head, environment("GITHUB_BASE_REF")};
  }
  const std::string source = environment("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME");
  const std::string job = environment("CI_JOB_URL");
  return {web_address(environment("CI_PROJECT_URL")),
          web_address(job.empty() ? environment("CI_PIPELINE_URL") : job),
          source.empty() ? environment("CI_COMMIT_REF_NAME") : source,
          environment("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")};
}

std::string forge_of(const fs::path& folder) {
  const std::string of_job = forge_of_job().url;
  return of_job.empty() ? forge_of_remote(git_answer(folder, {"remote", "get-url", "origin"}))
                        : of_job;
}

std::string commit_page(const std::string& forge, const std::string& commit) {
  if (forge.empty() || commit.empty()) return "";
  const bool gitlab =
      forge.find("gitlab") != std::string::npos ||
      (!environment("CI_PROJECT_URL").empty() && forge == environment("CI_PROJECT_URL"));
  return forge + (gitlab ? "/-/commit/" : "/commit/") + commit;
}

std::string last_part(std::string path) {
  while (path.ends_with('/')) path.pop_back();
  if (path.ends_with(".git")) path.resize(path.size() - 4);
  const std::size_t slash = path.find_last_of("/:");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

fs::path repository_of(const fs::path& program) {
  try {
    return read_build_options(cache_of_build(program)).source;
  } catch (const Error&) {  // no complete build folder
    return fs::current_path();
  }
}

bool is_web_address(const std::string& text) {
  static const std::regex address("https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/%+-]*)?");
  return text.size() <= 600 && std::regex_match(text, address);
}

std::string forge_of_remote(const std::string& remote) {
  static const std::regex form(
      "(?:(?:https?|ssh|git)://)?(?:[^@/]*@)?([A-Za-z0-9.-]+)(?::[0-9]+(?=/))?[:/]"
      "([A-Za-z0-9._~/-]+?)(?:\\.git)?/?");
  std::smatch parts;
  if (remote.size() > 500 || !std::regex_match(remote, parts, form)) return "";
  const std::string host = parts[1];
  const bool known =
      host.find("github") != std::string::npos || host.find("gitlab") != std::string::npos;
  return known ? "https://" + host + "/" + parts[2].str() : "";
}

std::string project_in(const fs::path& folder) {
  for (const char* name : {"GITHUB_REPOSITORY", "CI_PROJECT_PATH"})
    if (const std::string path = environment(name); !path.empty()) return last_part(path);
  if (const std::string remote = git_answer(folder, {"remote", "get-url", "origin"});
      !remote.empty())
    return last_part(remote);
  const std::string top = git_answer(folder, {"rev-parse", "--show-toplevel"});
  return last_part(top.empty() ? fs::absolute(folder).lexically_normal().string() : top);
}

BuiltCommit commit_in(const fs::path& folder, const std::string& revision) {
  BuiltCommit found;
  if (revision.empty() || revision.front() == '-') return found;
  // A message cannot hold a line break before its subject ends, so lines keep the fields apart.
  const auto read = [&](const std::string& of) {
    return git_answer(folder, {"log", "-1", "--no-show-signature", "--encoding=UTF-8",
                               "--format=%H%n%cI%n%an%n%s", of, "--"});
  };
  const auto fill = [&](const std::string& text) {
    std::istringstream lines(text);
    std::string date;
    std::getline(lines, found.commit);
    std::getline(lines, date);
    std::getline(lines, found.author);
    std::getline(lines, found.subject);
    if (const auto utc = utc_time(date)) found.date = *utc;
  };
  fill(read(revision));
  static const std::regex of_pull_request("Merge [0-9a-f]{40} into [0-9a-f]{40}");
  if (found.subject.size() < 100 && std::regex_match(found.subject, of_pull_request)) {
    const std::string merge = found.commit;
    fill(read(revision + "^2"));
    found.commit = merge;
  }
  const std::string name = git_answer(folder, {"rev-parse", "--symbolic-full-name", revision});
  for (const std::string kind : {"refs/heads/", "refs/remotes/"})
    if (name.starts_with(kind)) found.branch = name.substr(kind.size());
  return found;
}

Provenance provenance_of(const fs::path& program, const std::string& revision) {
  const fs::path repository = repository_of(program);
  const Forge job = forge_of_job();
  Provenance made;
  made.project = project_in(repository);
  made.url = forge_of(repository);
  made.shallow = is_shallow(repository);
  made.ci_run = job.run;
  BuiltCommit head = commit_in(repository, "HEAD");
  const std::string built = revision.substr(0, revision.find('-'));
  if (built.size() >= 7 && head.commit.starts_with(built)) made.now = std::move(head);
  if (made.now.branch.empty() && !made.now.commit.empty()) made.now.branch = job.branch;
  made.now.url = commit_page(made.url, made.now.commit);
  made.now.build = shown_path(program.parent_path());
  return made;
}

void add_base(Provenance& made, const fs::path& repository, const std::string& revision,
              const fs::path& build) {
  made.base = commit_in(repository, revision);
  if (made.base.branch.empty() && !made.base.commit.empty())
    made.base.branch = forge_of_job().base_branch;
  made.base.url = commit_page(made.url, made.base.commit);
  made.base.build = shown_path(build);
}

json to_json(const BuiltCommit& commit) {
  json made = json::object();
  const auto add = [&](const char* key, const std::string& text, std::size_t most) {
    if (!text.empty()) made[key] = printable(text, most);
  };
  add("commit", commit.commit, 64);
  add("subject", commit.subject, 300);
  add("author", commit.author, 100);
  add("branch", commit.branch, 200);
  add("date", commit.date, 40);
  add("url", commit.url, 600);
  add("build", commit.build, 300);
  return made;
}

json to_json(const Provenance& provenance) {
  json made = json::object();
  if (!provenance.project.empty()) made["project"] = printable(provenance.project, 100);
  if (!provenance.url.empty()) made["url"] = provenance.url;
  if (!provenance.ci_run.empty()) made["ci_run"] = provenance.ci_run;
  for (const auto& [side, commit] :
       {std::pair{"now", &provenance.now}, std::pair{"base", &provenance.base}})
    if (const json one = to_json(*commit); !one.empty()) made["commits"][side] = one;
  return made;
}

}  // namespace ratchet::gate
