#include "correctness/life/tests/fuzz/pattern_properties.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "kernels/life/pattern/pattern_file.h"
#include "perf/support/error.h"

namespace ratchet::fuzz {
namespace {

using life::Grid;
using life::PatternFormat;

void require(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

/// "input:LINE:COLUMN: ..." with a line and a column that the text has.
void require_place(const std::string& message, std::string_view text) {
  unsigned long line = 0, column = 0;
  int used = 0;
  const int numbers = std::sscanf(message.c_str(), "input:%lu:%lu: %n", &line, &column, &used);
  require(numbers == 2 && used > 0, "a message without a place: " + message);
  const auto ends =
      std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  require(line >= 1 && line <= static_cast<unsigned long>(ends) + 1, "no such line: " + message);
  require(column >= 1 && column <= text.size() + 1, "no such column: " + message);
}

std::optional<Grid> read_or_refuse(std::string_view text) {
  try {
    return life::parse_pattern(text, "input", 1 << 20);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(message.size() <= 500, "a message of " + std::to_string(message.size()) + " bytes");
    const auto printable = [](char c) { return c >= ' ' && c <= '~'; };
    require(std::all_of(message.begin(), message.end(), printable), "unprintable: " + message);
    require_place(message, text);
    return std::nullopt;
  }
}

void require_short_lines(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    require(line.size() <= 70, "a line of " + std::to_string(line.size()) + " characters");
}

}  // namespace

bool check_pattern_input(std::string_view text) {
  const auto grid = read_or_refuse(text);
  if (!grid) return false;
  for (const PatternFormat format : {PatternFormat::rle, PatternFormat::plaintext}) {
    const std::string written = life::format_pattern(*grid, format);
    require(life::parse_pattern(written, "written") == *grid, "does not read back: " + written);
    if (format == PatternFormat::rle) require_short_lines(written);
  }
  return true;
}

}  // namespace ratchet::fuzz

/// For libFuzzer (ci/fuzz). What the properties throw ends the run, and libFuzzer keeps the input.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ratchet::fuzz::check_pattern_input({reinterpret_cast<const char*>(data), size});
  return 0;
}
