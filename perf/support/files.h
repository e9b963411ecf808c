// Files, read and replaced as a whole; folders, listed and locked; scratch folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace ratchet {

/// A whole file as text. Throws `Error` naming it when it is not a readable regular file (never
/// waits on a FIFO). Also when it is larger than `max_bytes`, without reading it.
std::string read_text(const std::filesystem::path& file,
                      std::size_t max_bytes = std::size_t{512} << 20);

/// Replaces `file` by `text` atomically: temporary file in the same folder, fsync, rename. Creates
/// the folder. On a failure the old file is unchanged and the temporary file is removed. An `Error`
/// names the file and the reason (disk full, no permission).
void write_atomically(const std::filesystem::path& file, const std::string& text);

struct FileText {
  std::filesystem::path file;
  std::string text;
};

/// Replaces several files as one change: every text is on the disk before the first rename. On a
/// failure the files already replaced are restored. The `Error` names files that could not be
/// restored.
void write_all_atomically(const std::vector<FileText>& files);

/// Writes and removes a small file in `folder`. Throws `Error` naming the folder and the reason
/// where that fails (read-only, disk full).
void require_writable(const std::filesystem::path& folder);

/// The same for the folder of a scratch file that a program left empty or incomplete. The error
/// mentions TMPDIR, which names the folder.
void require_room(const std::filesystem::path& scratch);

/// Absolute, and without "." and ".." where the shorter path is the same file.
std::filesystem::path plain_path(const std::filesystem::path& file);

/// As a reader knows the file: plain, and relative where it lies in the current folder; "" of "".
std::string shown_path(const std::filesystem::path& file);

/// The entries of a folder, sorted by name; none where it does not exist. Throws `Error` when it
/// cannot be read.
std::vector<std::filesystem::path> sorted_entries(const std::filesystem::path& folder);

/// A temporary folder, removed on destruction. The first one of a process removes those of killed
/// processes of this user. Throws `Error` when it cannot be created.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1, at_end_ = -1;
};

/// Holds an advisory lock (flock) on an existing or new folder; leaves no file, and where an
/// error ends its work no new folder that is empty. Where another
/// process holds the lock, throws `Error` "another ratchet is <doing>" or, with `wait`, calls that
/// and then waits for the lock.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, const std::string& doing,
             const std::function<void()>& wait = {});
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int descriptor_ = -1;
  std::vector<std::filesystem::path> made_;  ///< folders, the deepest first
};

}  // namespace ratchet
