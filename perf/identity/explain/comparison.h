// What differs in what two builds of ratchet-bench execute for one row: the reason behind a row
// that is slower or faster. Known from object files, device code and digests alone; nothing is run
// but the programs' own listing of their rows. guide/bisect.md says in what order.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perf/identity/explain/build_code.h"
#include "perf/identity/explain/kernel_difference.h"
#include "perf/identity/explain/row_work.h"
#include "perf/identity/explain/work_difference.h"
#include "perf/identity/row_id.h"

namespace ratchet::explain {

/// Lines that a gate run shows of a row.
inline constexpr std::size_t most_reasons = 5;

class Comparison {
 public:
  /// Two programs in the folders of their builds. `arguments`: what both get besides
  /// (--ratchet_set).
  Comparison(std::filesystem::path before, std::filesystem::path now,
             std::vector<std::string> arguments = {});
  ~Comparison();

  /// Everything that differs for a row, a line each, worst first; none where both execute the same.
  /// Throws `Error` where one of them lacks the row, or its objects are not at hand.
  std::vector<std::string> differences(const RowId& row);
  /// The same in at most most_reasons lines, for a gate run: nothing is thrown, and what is in the
  /// way is the one line.
  std::vector<std::string> reasons(const RowId& row);
  /// The instructions of each function and kernel that differs, as diff -u shows them. Throws
  /// `counters::NoMetrics` where a disassembler is missing, and `Error` as above.
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
