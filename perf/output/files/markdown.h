// Texts for people, as Markdown, and their figures.
#pragma once

#include <string>
#include <vector>

namespace ratchet::report {

/// A part of a text; its words may hold `code`, **bold** and [links](address).
struct TextBlock {
  std::string mark;   ///< "### " of a heading, "- " of an item, "|" of a table, "" of a paragraph
  std::string words;  ///< empty of a table
  std::vector<std::vector<std::string>> rows = {};  ///< of a table; the first is its header
};

using Document = std::vector<TextBlock>;

/// With an empty line between blocks, but not between items.
std::string markdown(const Document& document);

/// Appends `more`.
Document& operator+=(Document& document, Document more);

/// A table with a header; '|' in cells is escaped. All rows must have as many cells as the header
/// (std::invalid_argument).
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> cells);
  /// Appends the column's cells to header and rows; one cell a row.
  void add_column(const std::string& name, const std::vector<std::string>& cells);
  std::string text() const { return markdown({block()}); }
  TextBlock block() const { return {"|", "", rows_}; }

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the header
};

/// A duration in s, ms or us with four significant digits: "2.886 s", "5.370 ms".
std::string format_seconds(double seconds);

/// A throughput with four significant digits and a power of 1000: "23.49×10¹²", "149.9×10⁹";
/// "217.3" below 1000.
std::string format_rate(double value);

/// At most `digits` significant digits, with a power of ten where that is shorter: "65536",
/// "2×10¹³", "10⁻⁶".
std::string format_power(double value, int digits);

/// "2¹⁴" for 16384, a power of two.
std::string format_binary(double value);

}  // namespace ratchet::report
