#include "perf/baseline/json_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "kernels/support/error.h"
#include "perf/baseline/printable.h"

namespace ratchet {
namespace {

using nlohmann::json;

/// Deepest nesting of arrays and objects; looked at before parsing so that a file of a million
/// brackets costs nothing.
int nesting(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

/// Refuses a key that one object holds twice, which the parser alone would let pass.
class UniqueKeys {
 public:
  explicit UniqueKeys(const std::string& what) : what_(what) {}
  bool operator()(int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_.emplace_back();
    if (event == json::parse_event_t::object_end) open_.pop_back();
    if (event == json::parse_event_t::key && !open_.back().insert(parsed.get<std::string>()).second)
      throw Error(fmt::format("{}: the key \"{}\" appears twice in one object", what_,
                              printable(parsed.get<std::string>(), 80)));
    return true;
  }

 private:
  std::string what_;
  std::vector<std::set<std::string>> open_;
};

std::string reason() { return std::strerror(errno); }

/// A file open for reading. Opening waits for nobody, as it otherwise would on a FIFO.
class InputFile {
 public:
  explicit InputFile(const std::filesystem::path& file)
      : file_(file), descriptor_(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (descriptor_ >= 0) return;
    if (errno == ENOENT) throw Error(file.string() + " does not exist");
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
  std::filesystem::path file_;
  int descriptor_ = -1;
};

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

json parse_json(std::string_view text, const std::string& what, const JsonLimits& limits) {
  if (text.size() > limits.bytes)
    throw Error(fmt::format("{} is larger than {} MiB and was not read", what, limits.bytes >> 20));
  // The parser would pass over the first of these marks, and complain of the others obscurely.
  if (text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") ||
      text.starts_with("\xfe\xff"))
    throw Error(what + " begins with a byte order mark; save it as UTF-8 without one");
  if (text.empty()) throw Error(what + " is empty, and so not valid JSON");
  if (nesting(text) > limits.depth)
    throw Error(fmt::format("{} nests deeper than {} levels and was not read", what, limits.depth));
  try {
    return json::parse(text, UniqueKeys(what));
  } catch (const json::exception& error) {
    // Their messages begin "[json.exception.parse_error.101] "; the rest is for people. They quote
    // the text as it is, however long.
    std::string message = error.what();
    if (const auto end = message.find("] "); end != std::string::npos) message.erase(0, end + 2);
    throw Error(fmt::format("{} is not valid JSON: {}", what, printable(message, 200)));
  }
}

std::string read_text(const std::filesystem::path& file, std::size_t max_bytes) {
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

json read_json(const std::filesystem::path& file, const JsonLimits& limits) {
  return parse_json(read_text(file, limits.bytes), file.string(), limits);
}

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

json tidy_number(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9007199254740992.0)
    return static_cast<std::int64_t>(value);
  // Not std::stod, which throws for the smallest of numbers.
  const double rounded = std::strtod(fmt::format("{:.7g}", value).c_str(), nullptr);
  if (rounded == std::floor(rounded) && std::fabs(rounded) < 9007199254740992.0)
    return static_cast<std::int64_t>(rounded);
  return rounded;
}

std::string pretty(const json& value, int levels, int indent) {
  const auto text_of = [](const json& part) {
    // Texts of other programs need not be UTF-8; they must not cost the file.
    return part.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  const std::string inner(static_cast<std::size_t>(indent) + 2, ' ');
  const std::string outer(static_cast<std::size_t>(indent), ' ');
  std::string text;
  if (value.is_object() && levels > 0 && !value.empty()) {
    for (const auto& [key, element] : value.items())
      text += fmt::format("{}{}{}: {}", text.empty() ? "" : ",\n", inner, text_of(json(key)),
                          pretty(element, levels - 1, indent + 2));
    return "{\n" + text + "\n" + outer + "}";
  }
  if (value.is_array() && !value.empty() && value.front().is_object()) {
    for (const json& element : value)
      text += fmt::format("{}{}{}", text.empty() ? "" : ",\n", inner, text_of(element));
    return "[\n" + text + "\n" + outer + "]";
  }
  return text_of(value);
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
