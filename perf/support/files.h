// Files: read whole, replaced without ever leaving half of one. Folders: listed, locked, scratch.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ratchet {

/// A whole file as text. Throws `Error` naming it when it is no readable regular file (a FIFO is
/// not waited for) or is larger than `max_bytes` (known before any of it is read).
std::string read_text(const std::filesystem::path& file,
                      std::size_t max_bytes = std::size_t{64} << 20);

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

/// The same of the folder of a scratch file that a program left empty or cut off; the error says
/// that TMPDIR names the folder.
void require_room(const std::filesystem::path& scratch);

/// What lies in a folder, by name; nothing where it does not exist. Throws `Error` when it cannot
/// be read.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

/// A folder for the files that programs exchange, gone when its owner is. Throws `Error` when the
/// folder for temporary files cannot be written.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Holds an advisory lock (flock) on an existing or new folder until destroyed; leaves no file
/// behind. Where another process holds it: throws `Error` at once, "another ratchet is <doing>", or
/// with `wait` calls that and then waits.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, const std::string& doing,
             const std::function<void()>& wait = {});
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
};

}  // namespace ratchet
