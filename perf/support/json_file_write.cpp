// Replacing files without ever leaving half of one; declared in json_file.h.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/support/error.h"
#include "perf/support/json_file.h"

namespace ratchet {
namespace {

std::string reason() { return std::strerror(errno); }

/// A descriptor that is closed, and a temporary file that is removed, on every way out.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& target)
      : name_(target.string() + ".XXXXXX"), target_(target) {
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) fail("cannot be written");
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  void write(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail("cannot be written");
      done += static_cast<std::size_t>(n);
    }
  }
  void finish() {
    // mkstemp makes files private; a baseline is as readable as any file of the tree.
    if (fchmod(descriptor_, 0644) != 0 || fsync(descriptor_) != 0) fail("cannot be written");
  }
  void replace_target() {
    if (rename(name_.c_str(), target_.c_str()) != 0) fail("cannot be replaced");
    name_.clear();
  }

 private:
  [[noreturn]] void fail(const char* what) {
    const std::string why = reason();
    throw Error(fmt::format("{} {}: {}; it was left as it was", target_.string(), what, why));
  }
  std::string name_;
  std::filesystem::path target_;
  int descriptor_ = -1;
};

std::unique_ptr<TemporaryFile> beside(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    throw Error(fmt::format("the folder {} cannot be made: {}", file.parent_path().string(),
                            error.message()));
  auto temporary = std::make_unique<TemporaryFile>(file);
  temporary->write(text);
  temporary->finish();
  return temporary;
}

/// Files as they were before; nothing for those that were not.
using Before = std::vector<std::pair<std::filesystem::path, std::optional<std::string>>>;

/// Returns what could not be put back, as a clause for an error; empty when all was.
std::string put_back(const Before& files) {
  std::string lost;
  for (const auto& [file, text] : files) {
    try {
      std::error_code error;
      if (text)
        beside(file, *text)->replace_target();
      else if (!std::filesystem::remove(file, error))
        throw Error("it cannot be removed");
    } catch (const Error&) {
      lost += "; " + file.string() + " was replaced and could not be put back";
    }
  }
  return lost;
}

}  // namespace

void write_atomically(const std::filesystem::path& file, const std::string& text) {
  beside(file, text)->replace_target();
}

void write_all_atomically(const std::vector<FileText>& files) {
  std::vector<std::unique_ptr<TemporaryFile>> waiting;
  for (const FileText& each : files) waiting.push_back(beside(each.file, each.text));
  Before replaced;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::filesystem::path& file = files[i].file;
    try {
      std::optional<std::string> before;
      if (std::filesystem::is_regular_file(file)) before = read_text(file);
      waiting[i]->replace_target();
      replaced.emplace_back(file, before);
    } catch (const Error& error) {
      const std::string lost = put_back(replaced);
      throw Error(error.what() + (lost.empty() ? std::string("; no file was changed") : lost));
    }
  }
}

void require_writable(const std::filesystem::path& folder) {
  std::string name = (folder / ".writable.XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  bool good = descriptor >= 0;
  if (good) {
    // A block, and forced out: some file systems take a name when they have no room for a byte.
    const std::string block(4096, ' ');
    errno = ENOSPC;  // what a short write without an error means
    good = ::write(descriptor, block.data(), block.size()) == static_cast<ssize_t>(block.size()) &&
           fsync(descriptor) == 0;
  }
  const std::string why = reason();
  if (descriptor >= 0) {
    close(descriptor);
    unlink(name.c_str());
  }
  if (!good)
    throw Error(fmt::format("nothing can be written in the folder {}: {}", folder.string(), why));
}

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& doing) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(fmt::format("the folder {} cannot be made: {}", folder.string(), error.message()));
  descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error(fmt::format("the folder {} cannot be opened: {}", folder.string(), reason()));
  if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
  const bool busy = errno == EWOULDBLOCK;
  const std::string why = reason();
  close(descriptor_);
  if (busy)
    throw Error(fmt::format("another ratchet is {} in {}; wait for it and try again", doing,
                            folder.string()));
  throw Error(fmt::format("the folder {} cannot be locked: {}", folder.string(), why));
}

FolderLock::~FolderLock() { close(descriptor_); }

}  // namespace ratchet
