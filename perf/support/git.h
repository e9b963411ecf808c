// Questions to git about a working tree.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ratchet {

/// A git command line in the folder `repository`. It unsets the variables that git sets for hooks,
/// which would redirect the command to the hook's repository. `variables`: "NAME=value".
std::vector<std::string> git_command(const std::filesystem::path& repository,
                                     const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& variables = {});

/// The output of git with these arguments in that folder, without the final line break. Throws
/// `Error` where git fails.
std::string ask_git(const std::filesystem::path& repository,
                    const std::vector<std::string>& arguments);

/// The commit that `revision` names. `repository` is any folder of a working tree. Throws `Error`
/// when it is not a repository or has no such revision, with advice for shallow clones.
std::string resolve_revision(const std::filesystem::path& repository, const std::string& revision);

/// Whether the repository has this commit.
bool has_commit(const std::filesystem::path& repository, const std::string& commit);

/// The first of these files, relative to the top of the working tree, that git ignores; or nothing.
std::string first_ignored(const std::filesystem::path& repository,
                          const std::set<std::filesystem::path>& files);

/// Whether `commit` is HEAD or one of its ancestors.
bool is_ancestor(const std::filesystem::path& repository, const std::string& commit);

/// The first tracked file with uncommitted changes, staged or not, outside the folders `except`; or
/// nothing. Throws `Error` where there is no repository.
std::string first_change(const std::filesystem::path& repository,
                         const std::vector<std::filesystem::path>& except);

/// The commit that last changed `file`, all 40 digits; empty where the file has uncommitted changes
/// or is in no repository.
std::string last_change(const std::filesystem::path& file);

/// The remote to fetch from: "origin", else the first; empty without one.
std::string remote_of(const std::filesystem::path& repository);

/// The top folder of the repository around `folder`; empty without one.
std::filesystem::path top_of(const std::filesystem::path& folder);

/// Whether the clone around `folder` lacks older commits.
bool is_shallow(const std::filesystem::path& folder);

/// `git describe` of the folder, "-dirty" when it has changes outside the folder `except`;
/// "unknown" where there is no repository.
std::string described_revision(const std::filesystem::path& folder,
                               const std::filesystem::path& except = {});

/// `text` without white space at its end.
std::string trimmed(const std::string& text);

}  // namespace ratchet
