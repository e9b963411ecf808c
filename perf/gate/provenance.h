// Which commits a run compared, and where readers of its results find them. The gate reads both
// from git and from the variables of a CI job when it runs, since a later report may have neither.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace ratchet::gate {

/// A commit and its build. What is not known is empty.
struct BuiltCommit {
  std::string commit;   ///< all 40 digits
  std::string subject;  ///< first line of its message
  std::string author;
  std::string branch;
  std::string date;   ///< UTC, when it was committed
  std::string url;    ///< of the commit's page on its forge
  std::string build;  ///< folder of the benchmark program
};

struct Provenance {
  std::string project;  ///< name of the repository
  std::string url;      ///< of the repository's page on its forge
  std::string ci_run;   ///< of the page of the CI job or workflow run
  BuiltCommit now, base;
  bool shallow = false;  ///< the clone lacks older commits; no part of the JSON
};

/// The commit `revision` of the repository around `folder`: from git alone, without `url` and
/// `build`. Of a merge that a forge made of a pull request, subject and author are those of the
/// commit that it merges. Everything is empty where git has no answer.
BuiltCommit commit_in(const std::filesystem::path& folder, const std::string& revision);

/// Project, addresses and the commit of `program`'s build: HEAD of the repository that its build
/// folder names, else of the current folder. `revision`: built_revision(program); a commit that is
/// not this revision is left out.
Provenance provenance_of(const std::filesystem::path& program, const std::string& revision);

/// The repository of a program's source: the one that its build folder names, else the one around
/// the current folder.
std::filesystem::path repository_of(const std::filesystem::path& program);

/// Adds the base: `revision` of this repository, built in the folder `build` (may be empty).
void add_base(Provenance& provenance, const std::filesystem::path& repository,
              const std::string& revision, const std::filesystem::path& build);

/// The page of the repository with this remote on GitHub or GitLab, without any credentials in it:
/// "https://github.com/o/r" of "git@github.com:o/r.git". Empty for every other remote.
std::string forge_of_remote(const std::string& remote);

/// Whether a page may link to `text`: http or https, at most 600 plain characters, no user and no
/// password.
bool is_web_address(const std::string& text);

/// The name of the project in this folder: of the CI job's repository, of the remote, or of the
/// folder itself.
std::string project_in(const std::filesystem::path& folder);

/// {"project", "url", "ci_run", "commits": {"now": {...}, "base": {...}}} without empty fields;
/// texts are printable and of limited length.
nlohmann::json to_json(const Provenance& provenance);
nlohmann::json to_json(const BuiltCommit& commit);

}  // namespace ratchet::gate
