#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string_view>
#include <utility>

#include "perf/study/run/run.h"
#include "perf/support/clock.h"
#include "perf/support/error.h"
#include "perf/support/files.h"
#include "perf/support/hash.h"

namespace ratchet::run {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;
constexpr std::size_t kSumDigits = 16;

/// A line as it is written, and its sum, which the next one needs.
std::string line_of(const std::string& body, std::string& sum) {
  sum = fnv1a(sum + " " + body);
  return sum + " " + body + "\n";
}

/// Takes the first word off.
std::string_view word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view first = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return first;
}

template <class T>
bool number(std::string_view& text, T& value) {
  const std::string_view digits = word(text);
  const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return !digits.empty() && status == std::errc() && stop == digits.data() + digits.size();
}

/// What the lines of a file say, taken in one after another.
class Reader {
 public:
  explicit Reader(const fs::path& file) : file_(file) {}

  /// Takes in all of `text`; returns how many bytes count.
  std::size_t read(std::string_view text) {
    std::size_t at = 0;
    for (std::size_t end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
      ++line_;
      take(text.substr(at, end - at));
      if (!open_) {
        counts_ = end + 1;
        sum_that_counts_ = sum_;
      }
    }
    if (line_ == 0) complain("has no first line");
    kept_.found.resize(kept_.found.size() - found_after_state_);
    return counts_;
  }
  const std::string& sum() const { return sum_that_counts_; }
  Kept& kept() { return kept_; }

 private:
  [[noreturn]] void complain(const std::string& what) const {
    throw Error(
        fmt::format("{}: line {} {}; the file is damaged, or not a record file of `ratchet run`; "
                    "name another with --records",
                    file_.string(), std::max<std::size_t>(line_, 1), what));
  }

  void take(std::string_view line) {
    if (line.size() < kSumDigits + 2 || line[kSumDigits] != ' ')
      complain("does not begin with a checksum");
    const std::string_view body = line.substr(kSumDigits + 1);
    sum_ = fnv1a(sum_ + " " + std::string(body));
    if (line.substr(0, kSumDigits) != sum_) complain("does not match its checksum");
    std::string_view rest = body;
    const std::string_view kind = word(rest);
    open_ = kind == "by" || kind == "found";
    if ((kind == "run") != (line_ == 1)) complain("is out of order");
    if (kind == "run")
      take_run(rest);
    else if (kind == "by")
      heading_.append(rest) += '\n';
    else if (kind == "found")
      take_found(rest);
    else if (kind == "at")
      take_state(rest);
    else
      complain("is of an unknown kind");
  }
  void take_run(std::string_view rest) {
    if (word(rest) != "1")
      complain("is of another version of ratchet; use the version that wrote it");
    kept_.program = word(rest);
    while (!rest.empty()) {
      const std::string_view each = word(rest);
      const std::size_t equals = std::min(each.find('='), each.size());
      std::string_view digits = each.substr(std::min(equals + 1, each.size()));
      std::uint64_t value = 0;
      if (!number(digits, value)) complain("has a parameter without a value");
      kept_.parameters.emplace_back(each.substr(0, equals), value);
    }
  }
  void take_found(std::string_view rest) {
    Found found;
    if (!number(rest, found.units) || !number(rest, found.seconds))
      complain("has no time of its find");
    found.record = rest;
    found.heading = std::exchange(heading_, "");
    found.last_second = recent_.add(found.seconds, found.units);
    kept_.found.push_back(std::move(found));
    ++found_after_state_;
  }
  void take_state(std::string_view rest) {
    if (!number(rest, kept_.units) || !number(rest, kept_.seconds)) complain("has no progress");
    kept_.since = word(rest);
    kept_.state = rest;
    if (rest.empty()) complain("has no state");
    kept_.heading = heading_;
    recent_.add(kept_.seconds, kept_.units);
    found_after_state_ = 0;
  }

  fs::path file_;
  std::size_t line_ = 0, counts_ = 0, found_after_state_ = 0;
  bool open_ = false;  ///< "at" is still to come
  std::string sum_, sum_that_counts_, heading_;
  LastSecond recent_{0, 0};
  Kept kept_;
};

std::string first_line(const std::string& program, const Parameters& parameters) {
  std::string body = "run 1 " + program, sum;
  for (const Parameter& each : parameters.all())
    body += fmt::format(" {}={}", each.name, each.value);
  return line_of(body, sum);
}

/// Makes the file, whole at once, where there is none. Of two processes that are started together
/// both then open the same one, and one of them gets its lock.
void make(const fs::path& file, const std::string& text) {
  if (fs::exists(file)) return;
  const fs::path mine = fmt::format("{}.{:08x}", file.string(), random_word());
  write_atomically(mine, text);
  const bool made =
      renameat2(AT_FDCWD, mine.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0;
  const int why = errno;
  std::error_code ignored;
  fs::remove(mine, ignored);
  if (!made && why != EEXIST)
    throw Error(fmt::format("{} cannot be made: {}", file.string(), std::strerror(why)));
}

void require_same(const fs::path& file, const Kept& kept, const std::string& program,
                  const Parameters& parameters) {
  if (kept.program != program)
    throw Error(
        fmt::format("{} holds the records of {}, not of {}; name another file with --records",
                    file.string(), kept.program, program));
  for (const auto& [name, value] : kept.parameters)
    if (!parameters.has(name) || parameters.at(name) != value)
      throw Error(fmt::format(
          "{} was begun with {}={}; use this value, or name another file with --records",
          file.string(), name, value));
  if (kept.parameters.size() != parameters.all().size())
    throw Error(
        fmt::format("{} was begun by a version of {} with other parameters; name another "
                    "file with --records",
                    file.string(), program));
}

}  // namespace

Kept read_records(const fs::path& file) {
  Reader reader(file);
  reader.read(read_text(file, kMaxBytes));
  return reader.kept();
}

RecordFile::RecordFile(const fs::path& file, const std::string& program,
                       const Parameters& parameters)
    : file_(file) {
  make(file, first_line(program, parameters));
  descriptor_ = open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be opened for writing");
  try {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) fail("cannot be locked");
      throw Error(file.string() + " is in use by another ratchet run; stop that one first");
    }
    Reader reader(file);
    const std::size_t counts = reader.read(read_text(file, kMaxBytes));
    require_same(file, reader.kept(), program, parameters);
    if (ftruncate(descriptor_, static_cast<off_t>(counts)) != 0) fail("cannot be truncated");
    sum_ = reader.sum();
    kept_ = std::move(reader.kept());
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

RecordFile::~RecordFile() { close(descriptor_); }

void RecordFile::fail(const char* what) const {
  throw Error(fmt::format("{} {}: {}", file_.string(), what, std::strerror(errno)));
}

void RecordFile::keep(const std::vector<Found>& found, std::uint64_t units, double seconds,
                      const std::string& state) {
  std::string lines, line;
  for (std::istringstream heading(std::exchange(heading_, "")); std::getline(heading, line);)
    lines += line_of("by " + line, sum_);
  for (const Found& each : found)
    lines +=
        line_of(fmt::format("found {} {:.3f} {}", each.units, each.seconds, each.record), sum_);
  lines += line_of(fmt::format("at {} {:.3f} {} {}", units, seconds, utc_now(), state), sum_);
  for (std::size_t done = 0; done < lines.size();) {
    const ssize_t n = write(descriptor_, lines.data() + done, lines.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail("cannot be written");
    done += static_cast<std::size_t>(n);
  }
  if (fdatasync(descriptor_) != 0) fail("cannot be written");
}

}  // namespace ratchet::run
