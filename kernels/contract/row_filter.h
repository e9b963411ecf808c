// Which rows a command is about: one grammar for every filter and every row named on a command
// line.
//
// A row is a stage at one point of its parameters: "family/backend/NN_idea", then
// "/parameter:value" for each that is not at its default. A benchmark of another program may have
// any name. A filter is
//
//   nothing, or "all"   every row
//   a whole name        the row of that name, or the rows of the stage of that name: these alone,
//                       even where they are part of other names
//   anything else       an ECMAScript regular expression: the rows in whose name it is found
//   -FILTER             the rows that FILTER, any of the above, does not select
#pragma once

#include <regex>
#include <set>
#include <string>
#include <string_view>

namespace ratchet {

/// The family of a row: the first part of its name.
std::string family_of(std::string_view row_name);
/// The stage of a row: the first three parts of its name; the whole name where there are fewer.
std::string stage_of(std::string_view row_name);

class RowFilter {
 public:
  /// `known`: the rows and stages there are, among which a whole name is looked for. Throws `Error`
  /// quoting the filter when it is no valid regular expression.
  RowFilter(const std::string& filter, const std::set<std::string>& known);

  bool selects(const std::string& row) const;

 private:
  enum class Kind { all, name, expression };
  Kind kind_ = Kind::all;
  bool inverted_ = false;
  std::string name_;
  std::regex expression_;
};

/// The names that the filter selects; that there are none is the caller's to judge. Throws `Error`
/// as above.
std::set<std::string> select_rows(const std::set<std::string>& names, const std::string& filter);

}  // namespace ratchet
