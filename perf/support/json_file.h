// Reading JSON that nobody vouches for, and replacing files without ever leaving half of one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ratchet {

/// What a JSON input may be at most; anything larger is refused before it is parsed.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  int depth = 16;
};

/// Parses strict JSON (RFC 8259, UTF-8; no NaN or Infinity, no comments). Throws `Error` naming
/// `what` (usually the file) in one line when the text is malformed, truncated, empty, too large,
/// nested too deeply, begins with a byte order mark, holds a number that no double can, or names a
/// key of one object twice.
nlohmann::json parse_json(std::string_view text, const std::string& what,
                          const JsonLimits& limits = {});

/// As above, from a regular file. Throws `Error` naming the file when it cannot be read.
nlohmann::json read_json(const std::filesystem::path& file, const JsonLimits& limits = {});

/// A whole file as text. Throws `Error` naming it when it is no readable regular file (a FIFO is
/// not waited for) or is larger than `max_bytes` (known before any of it is read).
std::string read_text(const std::filesystem::path& file,
                      std::size_t max_bytes = JsonLimits{}.bytes);

/// Replaces `file` by `text` in one step: temporary file in the same folder, fsync, rename. Creates
/// the folder. On any failure the old file stays as it was, the temporary one is removed, and an
/// `Error` names the file and the reason (disk full, no permission).
void write_atomically(const std::filesystem::path& file, const std::string& text);

struct FileText {
  std::filesystem::path file;
  std::string text;
};

/// Replaces several files as one change: every text is safe on the disk before the first rename. On
/// any failure the files already renamed are put back, and an `Error` says so, naming those that
/// could not be.
void write_all_atomically(const std::vector<FileText>& files);

/// Finds out, by writing and removing a small file, whether files can be left in `folder`. Throws
/// `Error` naming the folder and the reason (read-only, disk full).
void require_writable(const std::filesystem::path& folder);

/// A finite `value` rounded to seven significant digits, and whole numbers below 2^53 as integers:
/// figures that read well in a diff and stay the same when read and written again.
nlohmann::json tidy_number(double value);

/// JSON with sorted keys, laid out for a diff; bytes that are no UTF-8 become U+FFFD. Objects down
/// to `levels` spread over lines, arrays of objects one element a line, everything else compact.
std::string pretty(const nlohmann::json& value, int levels, int indent = 0);

/// Holds an advisory lock (flock) on an existing or new folder until destroyed; leaves no file
/// behind. Throws `Error` at once when another process holds it: "another ratchet is <doing>".
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, const std::string& doing);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace ratchet
