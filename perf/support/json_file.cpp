#include "perf/support/json_file.h"

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
#include "perf/support/printable.h"

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

}  // namespace ratchet
