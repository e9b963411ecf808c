// Selects the rows of a command: one grammar for all filters on command lines.
//
// A row is a stage with values of its parameters: "family/backend/NN_idea", then "/parameter:value"
// for each value that is not the default. A third-party benchmark may have any name. A filter is
//
//   empty, or "all"     every row
//   a whole name        only the row, or the rows of the stage, with this name, even if other names
//                       contain it
//   other text          an ECMAScript regular expression that matches part of the rows' names; if
//                       it matches none, the rows whose names end with it, from a part on: the name
//                       "loop (hot)" of a benchmark, without that of its program
//   -FILTER             the rows that FILTER, any of the above, does not select
#pragma once

#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace ratchet {

/// The family of a row: the first part of its name.
std::string family_of(std::string_view row_name);
/// The stage of a row: the first three parts of its name; the whole name if there are fewer.
std::string stage_of(std::string_view row_name);

class RowFilter {
 public:
  /// `known`: the existing rows and stages, for whole names. Throws `Error` quoting the filter if
  /// it is not a valid regular expression.
  RowFilter(const std::string& filter, const std::set<std::string>& known);

  bool selects(const std::string& row) const;

 private:
  enum class Kind { all, name, end, expression };
  Kind kind_ = Kind::all;
  bool inverted_ = false;
  std::string name_;
  std::regex expression_;
};

/// The names that the filter selects; the caller handles an empty result. Throws `Error` as above.
std::set<std::string> select_rows(const std::set<std::string>& names, const std::string& filter);

}  // namespace ratchet
