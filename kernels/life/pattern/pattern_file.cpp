#include "kernels/life/pattern/pattern_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "kernels/life/pattern/pattern_text.h"
#include "perf/support/error.h"

namespace ratchet::life {
namespace {

/// A temporary file beside `target`, which replaces it or is removed.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& target)
      : name_(target.string() + ".XXXXXX"), target_(target) {
    descriptor_ = mkstemp(name_.data());
    if (descriptor_ < 0) {
      name_.clear();
      fail();
    }
  }
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
  }
  void write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::write(descriptor_, text.data(), text.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) fail();
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  void commit() {
    // mkstemp makes files private; a pattern is as readable as any file.
    if (fchmod(descriptor_, 0644) != 0 || fsync(descriptor_) != 0 ||
        rename(name_.c_str(), target_.c_str()) != 0)
      fail();
    name_.clear();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(target_.string() + ": cannot be written: " + std::strerror(errno) +
                "; it was left as it was");
  }
  std::string name_;
  std::filesystem::path target_;
  int descriptor_ = -1;
};

std::string text_of(const std::filesystem::path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found)
    throw Error(file.string() + ": there is no such file");
  if (error) throw Error(file.string() + ": cannot be read: " + error.message());
  if (status.type() != std::filesystem::file_type::regular)
    throw Error(file.string() + ": is not a regular file; give a pattern file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  if (!stream || stream.bad())
    throw Error(file.string() + ": cannot be read: " + std::strerror(errno));
  return text;
}

/// Whether a text is RLE, by its first character that is no blank.
bool is_rle(PatternText text) {
  text.skip_blanks_and_ends();
  switch (text.peek()) {
    case '#':
    case 'x':
    case 'X':
      return true;
    case '.':
    case '*':
    case 'O':
    case '!':
      return false;
    default:
      text.fail(text.here() +
                " at the start of a pattern; RLE starts with '#' or \"x = m, y = n\", plaintext "
                "with '!', '.', 'O' or '*'");
  }
}

}  // namespace

Grid read_pattern(const std::filesystem::path& file) {
  return parse_pattern(text_of(file), file.string());
}

Grid parse_pattern(std::string_view text, const std::string& name, std::uint64_t max_cells) {
  PatternText place(text, name, max_cells);
  return is_rle(place) ? parse_rle(place) : parse_plaintext(place);
}

std::string format_pattern(const Grid& grid, PatternFormat format) {
  return format == PatternFormat::rle ? format_rle(grid) : format_plaintext(grid);
}

void write_pattern(const Grid& grid, const std::filesystem::path& file, PatternFormat format) {
  write_whole(format_pattern(grid, format), file);
}

void write_whole(std::string_view bytes, const std::filesystem::path& file) {
  Replacement replacement(file);
  replacement.write(bytes);
  replacement.commit();
}

}  // namespace ratchet::life
