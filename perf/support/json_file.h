// Untrusted JSON, read strictly, and JSON laid out for diffs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perf/support/error.h"
#include "perf/support/files.h"

namespace ratchet {

/// Limits of a JSON input; anything larger is refused before it is parsed.
struct JsonLimits {
  std::size_t bytes = std::size_t{512} << 20;
  int depth = 16;
  /// Of a key that an object holds twice, the first counts; otherwise it is an error. Google
  /// Benchmark writes its own keys first, and a user's counter of the same name later.
  bool first_key_counts = false;
};

/// A text that is no JSON. `cut_off`: it may be the begin of one.
class NotJson : public Error {
 public:
  NotJson(const std::string& message, bool ends_early) : Error(message), cut_off(ends_early) {}
  const bool cut_off;
};

/// Parses strict JSON (RFC 8259, UTF-8; no NaN or Infinity, no comments). Throws `NotJson` naming
/// `what` (usually the file) when the text is malformed, truncated or empty, `Error` when it is too
/// large or too deep.
/// Also when it begins with a byte order mark. Also for a number beyond the range of double, or a
/// key twice in one object (see JsonLimits).
nlohmann::json parse_json(std::string_view text, const std::string& what,
                          const JsonLimits& limits = {});

/// What of a file says that it is no JSON: the message of `error`, and what to do.
NotJson with_advice(const NotJson& error);

/// As above, from a regular file. Throws `Error` naming the file when it cannot be read, and what
/// to do about one that is no JSON.
nlohmann::json read_json(const std::filesystem::path& file, const JsonLimits& limits = {});

/// A finite `value` rounded to seven significant digits, and whole numbers below 2^53 as integers.
/// Such figures read well in a diff and stay the same when read and written again.
nlohmann::json tidy_number(double value);

/// JSON with sorted keys, laid out for a diff; bytes that are not UTF-8 become U+FFFD. Down to
/// `levels`, members and elements that hold objects take a line each, other members fill lines of
/// 280 columns. All else is compact; so are arrays, and objects of the last level, of one line.
std::string pretty(const nlohmann::json& value, int levels, int indent = 0);

/// For --json: from here on std::cout, too, goes to standard error, and only print_document() to
/// standard output. So no table or note gets into the document.
void leave_stdout_to_json();
void print_document(const nlohmann::json& value, int levels);

/// Which keys have a text, by that text: {"abc": ["x", "y"]}; a line for each text in pretty().
nlohmann::json keys_by_text(const std::map<std::string, std::string>& texts);

/// A file of launches in the layout of baselines: the context, then each launch on one line.
/// `launches`: their texts, as from pretty(launch, 0).
std::string launches_text(const nlohmann::json& context, const std::vector<std::string>& launches);

/// As above, from Google Benchmark's output. Throws `Error` naming `what` where that lacks the
/// object "context" or the array "benchmarks".
std::string launches_text(const nlohmann::json& output, const std::string& what);

// A JSON value with its path, for strict reading of files that ratchet wrote. Errors name the path.

/// Every reader throws `Error` beginning with the path: "FILE.tables[2].rows[0].label: is not a
/// text". Holds a reference to the value, which must outlive it.
class Node {
 public:
  Node(const nlohmann::json& value, std::string where) : value_(value), where_(std::move(where)) {}

  const nlohmann::json& value() const { return value_; }
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  Node at(const char* key) const;
  std::string text() const;
  std::string text_or_empty(const char* key) const { return has(key) ? at(key).text() : ""; }
  double number() const;
  double positive() const;
  std::uint64_t count() const;  ///< an integer from 0
  bool truth() const;
  std::vector<Node> list() const;
  /// The elements of the list `key`, none where there is no such key.
  std::vector<Node> list_or_empty(const char* key) const;
  std::vector<double> numbers() const;  ///< a list of numbers
  /// The members of an object, by key.
  std::map<std::string, Node> members() const;
  std::map<std::string, std::string> text_map() const;
  /// The texts of keys_by_text(); also an object of texts, as older files have.
  std::map<std::string, std::string> texts_of_keys() const;
  /// An object of integers from 0, such as {"width": 4096}; {} where there is no such key.
  std::map<std::string, std::uint64_t> counts_or_empty(const char* key) const;
  [[noreturn]] void fail(const std::string& what) const;

 private:
  const nlohmann::json& value_;
  std::string where_;
};

}  // namespace ratchet
