#include "perf/support/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "perf/support/error.h"
#include "perf/support/interruption.h"

namespace ratchet {
namespace {

namespace fs = std::filesystem;

std::string reason() { return std::strerror(errno); }

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(fmt::format("the folder {} cannot be made: {}; name another place", folder.string(),
                            error.message()));
}

/// A file open for reading. Opening a FIFO does not wait for a writer.
class InputFile {
 public:
  explicit InputFile(const fs::path& file)
      : file_(file), descriptor_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ >= 0) return;
    if (errno == ENOENT) throw Error(file.string() + " does not exist; name a file that does");
    // A socket cannot be opened at all.
    if (errno == ENXIO) throw Error(file.string() + " is not a regular file");
    fail();
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() { close(descriptor_); }

  struct stat status() const {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail();
    return status;
  }
  /// Appends what comes next to `text`; false at the end.
  bool read(std::string& text) const {
    char buffer[1 << 16];
    ssize_t n = -1;
    do {
      n = ::read(descriptor_, buffer, sizeof buffer);
    } while (n < 0 && errno == EINTR);
    if (n < 0) fail();
    text.append(buffer, static_cast<std::size_t>(n));
    return n > 0;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{} cannot be read: {}", file_.string(), reason()));
  }
  fs::path file_;
  int descriptor_ = -1;
};

/// A descriptor that is closed, and a temporary file that is removed, on every way out.
class TemporaryFile {
 public:
  explicit TemporaryFile(const fs::path& target)
      : name_(target.string() + ".XXXXXX"), target_(target) {
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) fail("cannot be written");
    at_end_ = remove_at_end(name_);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
    keep_at_end(at_end_);
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
    std::error_code error;
    throw Error(fmt::format("{} {}: {}{}", target_.string(), what, why,
                            fs::exists(target_, error) ? "; it was left as it was" : ""));
  }
  std::string name_;
  fs::path target_;
  int descriptor_ = -1, at_end_ = -1;
};

/// To be renamed to `file`, or to what it links to.
std::unique_ptr<TemporaryFile> temporary_next_to(const fs::path& file, const std::string& text) {
  std::error_code error;
  const fs::file_status target = fs::status(file, error);
  if (fs::exists(target) && !fs::is_regular_file(target) && !fs::is_directory(target))
    throw Error(file.string() + " is not a regular file; name another");  // a device, a pipe
  if (file.has_parent_path()) make_folder(file.parent_path());
  const bool link = fs::exists(target) && fs::is_symlink(file, error);
  auto temporary = std::make_unique<TemporaryFile>(link ? fs::canonical(file) : file);
  temporary->write(text);
  temporary->finish();
  return temporary;
}

/// Files as they were before; nothing for those that were not.
using Before = std::vector<std::pair<fs::path, std::optional<std::string>>>;

/// Returns what could not be put back, as a clause for an error; empty when all was.
std::string put_back(const Before& files) {
  std::string lost;
  for (const auto& [file, text] : files) {
    try {
      std::error_code error;
      if (text)
        temporary_next_to(file, *text)->replace_target();
      else if (!fs::remove(file, error))
        throw Error("it cannot be removed");
    } catch (const Error&) {
      lost += "; " + file.string() + " was replaced and could not be put back";
    }
  }
  return lost;
}

}  // namespace

std::string read_text(const fs::path& file, std::size_t max_bytes) {
  const InputFile input(file);
  const auto status = input.status();
  if (!S_ISREG(status.st_mode)) throw Error(file.string() + " is not a regular file");
  const auto refuse_size = [&](std::size_t bytes) {
    if (bytes > max_bytes)
      throw Error(
          fmt::format("{} is larger than {} MiB and was not read", file.string(), max_bytes >> 20));
  };
  refuse_size(static_cast<std::size_t>(status.st_size));
  std::string text;
  while (input.read(text)) refuse_size(text.size());  // it may grow while it is read
  return text;
}

void write_atomically(const fs::path& file, const std::string& text) {
  temporary_next_to(file, text)->replace_target();
}

void write_all_atomically(const std::vector<FileText>& files) {
  std::vector<std::unique_ptr<TemporaryFile>> waiting;
  for (const FileText& each : files) waiting.push_back(temporary_next_to(each.file, each.text));
  Before replaced;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const fs::path& file = files[i].file;
    try {
      std::optional<std::string> before;
      if (fs::is_regular_file(file)) before = read_text(file);
      waiting[i]->replace_target();
      replaced.emplace_back(file, before);
    } catch (const Error& error) {
      const std::string lost = put_back(replaced);
      throw Error(error.what() + (lost.empty() ? std::string("; no file was changed") : lost));
    }
  }
}

void require_writable(const fs::path& folder) {
  std::string name = (folder / ".writable.XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  bool good = descriptor >= 0;
  const int at_end = good ? remove_at_end(name) : -1;
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
    keep_at_end(at_end);
  }
  if (!good)
    throw Error(
        fmt::format("nothing can be written in the folder {}: {}; make room, or name another",
                    folder.string(), why));
}

void require_room(const fs::path& scratch) {
  try {
    require_writable(scratch.parent_path());
  } catch (const Error& error) {
    throw Error(error.what() + std::string(" with TMPDIR"));
  }
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    entries.push_back(it->path());
  if (error && error != std::errc::no_such_file_or_directory)
    throw Error(fmt::format("the folder {} cannot be read: {}", folder.string(), error.message()));
  std::sort(entries.begin(), entries.end());
  return entries;
}

namespace {

constexpr char scratch_name[] = "ratchet-scratch.";

/// Holds the folder until the process ends, however it does; -1 where another process holds it.
int hold(const fs::path& folder) {
  const int lock = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0) return lock;
  close(lock);
  return -1;
}

/// What processes of this user left in the folder that were killed; once a process.
void remove_abandoned(const fs::path& parent) {
  static std::mutex guard;
  static fs::path done;
  const std::lock_guard alone(guard);
  if (std::exchange(done, parent) == parent) return;
  std::error_code error, ignored;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    struct stat found {};
    if (!it->path().filename().string().starts_with(scratch_name) ||
        lstat(it->path().c_str(), &found) != 0 || found.st_uid != getuid())
      continue;
    const int lock = hold(it->path());
    if (lock < 0) continue;
    fs::remove_all(it->path(), ignored);
    close(lock);
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (!error) remove_abandoned(parent);
  std::string name = (parent / "ratchet-new.XXXXXX").string();
  if (error || !mkdtemp(name.data()))
    throw Error("no folder for temporary files can be made; is TMPDIR writable?");
  // It has the name by which others look for it once it is held.
  lock_ = hold(name);
  fs::path held =
      parent / (scratch_name + std::to_string(getpid()) + fs::path(name).extension().string());
  fs::rename(name, held, error);
  if (error) held = name;
  at_end_ = remove_at_end(held, true);
  path_ = held / "files";  // which others may lock, and open to another user
  if (mkdir(path_.c_str(), 0700) != 0 || chmod(held.c_str(), 0711) != 0)
    throw Error(path_.string() + " cannot be made: " + reason());
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_.parent_path(), ignored);
  keep_at_end(at_end_);
  if (lock_ >= 0) close(lock_);
}

fs::path plain_path(const fs::path& file) {
  const fs::path whole = fs::absolute(file), plain = whole.lexically_normal();
  std::error_code error;
  const bool other = fs::exists(whole, error) && !fs::equivalent(whole, plain, error);
  return other ? whole : plain;  // behind a link, ".." leads elsewhere
}

std::string shown_path(const fs::path& file) {
  if (file.empty()) return "";
  const fs::path whole = plain_path(file), near = whole.lexically_relative(fs::current_path());
  return near.empty() || near.string().starts_with("..") ? whole.string() : near.string();
}

FolderLock::FolderLock(const fs::path& folder, const std::string& doing,
                       const std::function<void()>& wait) {
  for (fs::path each = fs::absolute(folder); !fs::exists(each); each = each.parent_path())
    made_.push_back(each);
  for (const fs::path& each : made_) remove_at_end(each);
  make_folder(folder);
  descriptor_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor_ < 0)
    throw Error(fmt::format("the folder {} cannot be opened: {}", folder.string(), reason()));
  int result = flock(descriptor_, LOCK_EX | LOCK_NB);
  // A ratchet that was just killed may have left a child that is about to become another program
  // and holds the lock until it is.
  for (int i = 0; i < 100 && result != 0 && errno == EWOULDBLOCK && !wait; ++i) {
    usleep(10'000);
    result = flock(descriptor_, LOCK_EX | LOCK_NB);
  }
  if (result != 0 && errno == EWOULDBLOCK && wait) {
    wait();
    while ((result = flock(descriptor_, LOCK_EX | LOCK_NB)) != 0 && errno == EWOULDBLOCK) {
      check_interruption();
      usleep(50'000);
    }
  }
  if (result == 0) return;
  const bool busy = errno == EWOULDBLOCK;
  const std::string why = reason();
  close(descriptor_);
  if (busy)
    throw Error(fmt::format("another ratchet is {} in {}; wait for it and try again", doing,
                            folder.string()));
  throw Error(fmt::format("the folder {} cannot be locked: {}", folder.string(), why));
}

FolderLock::~FolderLock() {
  std::error_code not_empty;
  for (const fs::path& folder : made_)  // another may wait for a folder that is in use
    if (std::uncaught_exceptions() > 0) fs::remove(folder, not_empty);
  close(descriptor_);
}

}  // namespace ratchet
