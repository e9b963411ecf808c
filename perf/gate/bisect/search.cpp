#include "perf/gate/bisect/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "perf/gate/base/base_build.h"
#include "perf/support/error.h"
#include "perf/support/git.h"
#include "perf/support/hash.h"

namespace ratchet::bisect {
namespace {

/// The van der Corput sequence 1/2, 1/4, 3/4, 1/8, 5/8, ...: the binary digits of 1, 2, 3, ...
/// mirrored at the radix point. Every prefix fills the interval evenly.
double place(std::size_t index) {
  double value = 0, digit = 0.5;
  for (std::size_t rest = index; rest > 0; rest /= 2, digit /= 2)
    value += static_cast<double>(rest % 2) * digit;
  return value;
}

}  // namespace

Search::Search(std::size_t last) : bad_(last), skipped_(last + 1, false) {
  if (last == 0) throw std::invalid_argument("a search needs two revisions");
}

std::optional<std::size_t> Search::next() const {
  std::vector<std::size_t> open;
  std::size_t skipped = 0;
  for (std::size_t i = good_ + 1; i < bad_; ++i) {
    if (skipped_[i]) ++skipped;
    if (!skipped_[i]) open.push_back(i);
  }
  if (open.empty()) return std::nullopt;
  const double wanted =
      static_cast<double>(good_) + place(skipped + 1) * static_cast<double>(bad_ - good_);
  return *std::min_element(open.begin(), open.end(), [&](std::size_t a, std::size_t b) {
    const auto far = [&](std::size_t i) {
      const double distance = static_cast<double>(i) - wanted;
      return distance < 0 ? -distance : distance;
    };
    return far(a) < far(b);
  });
}

void Search::mark(std::size_t revision, bool good) {
  if (good) good_ = std::max(good_, revision);
  if (!good) bad_ = std::min(bad_, revision);
}

void Search::skip(std::size_t revision) { skipped_.at(revision) = true; }

std::size_t Search::most_steps(std::size_t last) {
  std::size_t steps = 0;
  for (std::size_t reached = 1; reached < last; reached *= 2) ++steps;
  return steps;
}

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

/// Of all files that a step can depend on, by path, kind and content.
std::string key_of(const fs::path& repository, const std::string& prefix, const std::string& commit,
                   Reads reads) {
  std::istringstream lines(
      ask_git(repository, {"-c", "core.quotePath=false", "ls-tree", "-r", "--full-tree", commit}));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t tab = line.find('\t');
    const std::string path = tab == std::string::npos ? "" : line.substr(tab + 1);
    const bool inside =
        path.starts_with(prefix);  // every file outside of the project's folder counts
    if (!inside || reads == Reads::all_files || enters_the_build(path.substr(prefix.size())))
      text += line + "\n";
  }
  return sha1(text);
}

}  // namespace

bool enters_the_build(const std::string& path) {
  static const std::regex never(
      "(.*/)?[^/]*[.]md|LICENSE|[.]clang-format|[.]gitignore|baselines/.*|[.]github/.*|"
      "correctness/(.*/)?[^/]*_test[.]cpp|correctness/(ci|contract|new_family|perf|ranks|rivals)/"
      ".*[.]cpp|"
      "correctness/(new_family|perf)/(.*/)?data/.*");
  return !std::regex_match(path, never);
}

std::vector<Revision> history_between(const fs::path& repository, const std::string& good,
                                      const std::string& bad, Reads reads) {
  std::vector<Revision> revisions = commits_between(repository, good, bad);
  if (revisions.empty() || revisions.front().parents.empty() ||
      revisions.front().parents.front() != good)
    complain(repository, good, bad);
  Revision first;
  first.commit = good;
  first.subject = ask_git(repository, {"log", "-1", "--format=%s", good});
  revisions.insert(revisions.begin(), first);
  const std::string prefix = ask_git(repository, {"rev-parse", "--show-prefix"});
  for (Revision& each : revisions) each.key = key_of(repository, prefix, each.commit, reads);
  return revisions;
}

}  // namespace ratchet::bisect
