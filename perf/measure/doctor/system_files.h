// The files under /proc and /sys, or copies of them in another folder, with which tests simulate
// other machines.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ratchet::doctor {

class SystemFiles {
 public:
  explicit SystemFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// The whole file without trailing white space; nothing if it cannot be read. `path` is relative
  /// to the root: "proc/stat". At most 1 MiB.
  std::optional<std::string> text(const std::filesystem::path& path) const;
  /// The first number of the file.
  std::optional<double> number(const std::filesystem::path& path) const;
  /// The number after `key` at the beginning of a line, as in "SwapFree:  12 kB" or "pswpin 0".
  std::optional<double> field(const std::filesystem::path& path, const std::string& key) const;
  /// Names of the form `prefix` and digits in a folder, by number: cpu0, cpu1, ...; prefix may be
  /// "".
  std::vector<std::string> numbered(const std::filesystem::path& folder,
                                    const std::string& prefix) const;

 private:
  std::filesystem::path root_;
};

}  // namespace ratchet::doctor
