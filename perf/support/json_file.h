// JSON that nobody vouches for, read strictly, and JSON written to be read in a diff.
#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "perf/support/files.h"

namespace ratchet {

/// What a JSON input may be at most; anything larger is refused before it is parsed.
struct JsonLimits {
  std::size_t bytes = std::size_t{64} << 20;
  int depth = 16;
  /// Of a key that one object holds twice the first counts, in place of an error: other programs
  /// write keys of their own first, and a user's of the same name later.
  bool first_key_counts = false;
};

/// Parses strict JSON (RFC 8259, UTF-8; no NaN or Infinity, no comments). Throws `Error` naming
/// `what` (usually the file) in one line when the text is malformed, truncated, empty, too large,
/// nested too deeply, begins with a byte order mark, holds a number that no double can, or names a
/// key of one object twice (see JsonLimits).
nlohmann::json parse_json(std::string_view text, const std::string& what,
                          const JsonLimits& limits = {});

/// As above, from a regular file. Throws `Error` naming the file when it cannot be read.
nlohmann::json read_json(const std::filesystem::path& file, const JsonLimits& limits = {});

/// A finite `value` rounded to seven significant digits, and whole numbers below 2^53 as integers:
/// figures that read well in a diff and stay the same when read and written again.
nlohmann::json tidy_number(double value);

/// JSON with sorted keys, laid out for a diff; bytes that are no UTF-8 become U+FFFD. Objects down
/// to `levels` spread over lines, arrays of objects one element a line, everything else compact.
std::string pretty(const nlohmann::json& value, int levels, int indent = 0);

/// A file of launches in the layout of baselines: the context, then each launch on one line.
/// `launches` are their texts, as pretty(launch, 0) gives them.
std::string launches_text(const nlohmann::json& context, const std::vector<std::string>& launches);

/// As above, of Google Benchmark's own output. Throws `Error` naming `what` where that has no
/// object "context" and array "benchmarks".
std::string launches_text(const nlohmann::json& output, const std::string& what);

}  // namespace ratchet
