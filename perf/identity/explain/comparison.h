// The difference in what two builds of ratchet-bench execute for one row: the reason of a slower or
// faster row. Found from object files, device code and digests; only the programs' listings of
// their rows are run. guide/bisect.md has the order of the lines.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"
#include "perf/identity/explain/kernel_difference.h"
#include "perf/identity/explain/work_difference.h"
#include "perf/identity/row_id.h"

namespace ratchet::explain {

/// Maximum number of lines per row in a gate run.
inline constexpr std::size_t most_reasons = 5;

class Comparison {
 public:
  /// Two programs in their build folders. `arguments`: further arguments of both (--ratchet_set).
  Comparison(std::filesystem::path before, std::filesystem::path now,
             std::vector<std::string> arguments = {});
  ~Comparison();

  /// All differences for a row, one line each, worst first; empty if both execute the same. Throws
  /// `Error` if one of them lacks the row or its objects.
  std::vector<std::string> differences(const RowId& row);
  /// The same in at most most_reasons lines, for a gate run. Throws nothing: an error becomes the
  /// only line.
  std::vector<std::string> reasons(const RowId& row);
  /// The instructions of each differing function and kernel, as diff -u shows them. Throws
  /// `counters::NoMetrics` if a disassembler is missing, and `Error` as above.
  std::vector<std::string> listings(const RowId& row);

 private:
  struct Line;
  struct Stage;
  void require_row(const RowId& row);
  const Stage& stage(const std::string& name);
  std::vector<Line> lines(const RowId& row);
  void add_settings(const RowId& row, std::vector<Line>& into);
  void add_code(const Stage& stage, std::vector<Line>& into);
  void add_libraries(const Stage& stage, std::vector<Line>& into);
  std::string text(const Line& line) const;

  std::filesystem::path program_before_, program_now_;
  std::vector<std::string> arguments_;
  std::map<RowId, RowWork> rows_before_, rows_now_;
  bool asked_ = false;
  std::unique_ptr<BuildCode> before_, now_;
  std::map<std::string, std::unique_ptr<Stage>> stages_;
};

}  // namespace ratchet::explain
