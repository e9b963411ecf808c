// Markdown tables and figures for people.
#pragma once

#include <string>
#include <vector>

namespace ratchet::report {

/// A table with a header; '|' in cells is escaped. All rows must have as many cells as the header
/// (std::invalid_argument).
class Table {
 public:
  explicit Table(std::vector<std::string> header);
  void add(std::vector<std::string> cells);
  /// Appends the column's cells to header and rows; one cell a row.
  void add_column(const std::string& name, const std::vector<std::string>& cells);
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the first is the header
};

/// A duration in s, ms or us with four significant digits: "2.886 s", "5.370 ms".
std::string format_seconds(double seconds);

}  // namespace ratchet::report
