#include "perf/gate/bisect/history.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>

#include "perf/support/error.h"
#include "perf/gate/base/base_build.h"
#include "perf/support/hash.h"
#include "perf/support/git.h"

namespace ratchet::bisect {
namespace {

namespace fs = std::filesystem;

/// The commits after `good` up to `bad`.
std::vector<Revision> commits_between(const fs::path& repository, const std::string& good,
                                      const std::string& bad) {
  const std::string listed = ask_git(repository, {"log", "--first-parent", "--reverse",
                                                  "--format=%H%x09%P%x09%s", good + ".." + bad});
  std::vector<Revision> revisions;
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t parents = line.find('\t'), subject = line.find('\t', parents + 1);
    if (parents == std::string::npos || subject == std::string::npos)
      throw Error("git log printed a line that is not a commit: " + line);
    Revision revision;
    revision.commit = line.substr(0, parents);
    std::istringstream names(line.substr(parents + 1, subject - parents - 1));
    for (std::string name; names >> name;) revision.parents.push_back(name);
    revision.subject = line.substr(subject + 1);
    revisions.push_back(std::move(revision));
  }
  return revisions;
}

/// Why there is no way from `good` to `bad`.
[[noreturn]] void complain(const fs::path& repository, const std::string& good,
                           const std::string& bad) {
  if (good == bad) throw Error("GOOD and BAD are the same commit; name two");
  std::string common;
  try {
    common = ask_git(repository, {"merge-base", good, bad});
  } catch (const Error&) {  // two histories that never met
    throw Error(fmt::format(
        "GOOD ({:.12}) and BAD ({:.12}) have no common history; name an ancestor of BAD", good,
        bad));
  }
  if (common == bad)
    throw Error(
        fmt::format("BAD ({:.12}) is an ancestor of GOOD ({:.12}); swap the two", bad, good));
  if (common == good)
    throw Error(fmt::format(
        "GOOD ({:.12}) came into the history of BAD ({:.12}) by a merge, but the search follows "
        "first parents only; name a commit that `git log --first-parent` shows",
        good, bad));
  throw Error(fmt::format(
      "GOOD ({:.12}) is not an ancestor of BAD ({:.12}); try their common ancestor {:.12} as GOOD",
      good, bad, common));
}

/// Of all files that enter the build, by path, kind and content.
std::string key_of(const fs::path& repository, const std::string& prefix,
                   const std::string& commit) {
  std::istringstream lines(
      ask_git(repository, {"-c", "core.quotePath=false", "ls-tree", "-r", "--full-tree", commit}));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const std::string path = tab == std::string::npos ? "" : line.substr(tab + 1);
    const bool inside =
        path.starts_with(prefix);  // every file outside of the project's folder counts
    if (!inside || enters_the_build(path.substr(prefix.size()))) text += line + "\n";
  }
  return sha1(text);
}

}  // namespace

bool enters_the_build(const std::string& path) {
  static const std::regex never(
      "(.*/)?[^/]*[.]md|LICENSE|[.]clang-format|[.]gitignore|baselines/.*|[.]github/.*|"
      "correctness/(.*/)?[^/]*_test[.]cpp|correctness/(ci|contract|new_family|perf|ranks|rivals)/.*[.]cpp|"
      "correctness/(new_family|perf)/(.*/)?data/.*");
  return !std::regex_match(path, never);
}

std::vector<Revision> history_between(const fs::path& repository, const std::string& good,
                                      const std::string& bad) {
  std::vector<Revision> revisions = commits_between(repository, good, bad);
  if (revisions.empty() || revisions.front().parents.empty() ||
      revisions.front().parents.front() != good)
    complain(repository, good, bad);
  Revision first;
  first.commit = good;
  first.subject = ask_git(repository, {"log", "-1", "--format=%s", good});
  revisions.insert(revisions.begin(), first);
  const std::string prefix = ask_git(repository, {"rev-parse", "--show-prefix"});
  for (Revision& each : revisions) each.key = key_of(repository, prefix, each.commit);
  return revisions;
}

}  // namespace ratchet::bisect
