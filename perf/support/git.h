// What git knows of a working tree.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace ratchet {

/// The command line of git in the folder `repository`, without what git sets for its hooks, which
/// would turn every command to the hook's repository. `variables`: "NAME=value".
std::vector<std::string> git_command(const std::filesystem::path& repository,
                                     const std::vector<std::string>& arguments,
                                     const std::vector<std::string>& variables = {});

/// What git says to these arguments in that folder, without the line break at its end. Throws
/// `Error` where it fails: no repository, no such thing in it.
std::string ask_git(const std::filesystem::path& repository,
                    const std::vector<std::string>& arguments);

/// The commit that `revision` names. `repository` is any folder of a working tree. Throws `Error`
/// in one line when it is no repository, or has no such revision (and says so when the clone is
/// shallow).
std::string resolve_revision(const std::filesystem::path& repository, const std::string& revision);

/// Whether the repository has this commit.
bool has_commit(const std::filesystem::path& repository, const std::string& commit);

/// The first of these files, relative to the top of the working tree, that git ignores; or nothing.
std::string first_ignored(const std::filesystem::path& repository,
                          const std::set<std::filesystem::path>& files);

/// Whether `commit` is HEAD or one of its ancestors.
bool is_ancestor(const std::filesystem::path& repository, const std::string& commit);

/// The commit that last changed `file`, all 40 digits; empty where the file has changes that are
/// not committed, or no repository holds it.
std::string last_change(const std::filesystem::path& file);

/// `git describe` of the folder, "-dirty" when it has changes; "unknown" where there is no
/// repository.
std::string described_revision(const std::filesystem::path& folder);

/// Without white space at its end.
std::string trimmed(const std::string& text);

}  // namespace ratchet
