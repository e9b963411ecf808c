#include "kernels/contract/row_filter.h"

#include <algorithm>

#include "perf/support/error.h"

namespace ratchet {

std::string family_of(std::string_view row_name) {
  return std::string(row_name.substr(0, row_name.find('/')));
}

std::string stage_of(std::string_view row_name) {
  std::size_t end = 0;
  for (int part = 0; part < 3; ++part) {
    end = row_name.find('/', part == 0 ? 0 : end + 1);
    if (end == std::string_view::npos) return std::string(row_name);
  }
  return std::string(row_name.substr(0, end));
}

RowFilter::RowFilter(const std::string& filter, const std::set<std::string>& known)
    : inverted_(filter.starts_with('-')), name_(filter.substr(inverted_ ? 1 : 0)) {
  const auto is_it = [&](const std::string& row) { return row == name_ || stage_of(row) == name_; };
  if (std::any_of(known.begin(), known.end(), is_it)) {
    kind_ = Kind::name;
    return;
  }
  if (name_.empty() || name_ == "all") return;
  const auto ends = [&](const std::string& row) { return row.ends_with("/" + name_); };
  const bool is_end = std::any_of(known.begin(), known.end(), ends);
  kind_ = Kind::expression;
  try {
    expression_ = std::regex(name_);
    const auto matches = [&](const std::string& row) {
      return std::regex_search(row, expression_);
    };
    if (is_end && std::none_of(known.begin(), known.end(), matches)) kind_ = Kind::end;
  } catch (const std::regex_error&) {
    kind_ = Kind::end;
    if (is_end) return;
    throw Error("\"" + name_ + "\" is neither a row, nor a stage, nor a valid regular expression");
  }
}

bool RowFilter::selects(const std::string& row) const {
  const bool selected = kind_ == Kind::all    ? true
                        : kind_ == Kind::name ? row == name_ || stage_of(row) == name_
                        : kind_ == Kind::end  ? row.ends_with("/" + name_)
                                              : std::regex_search(row, expression_);
  return selected != inverted_;
}

std::set<std::string> select_rows(const std::set<std::string>& names, const std::string& filter) {
  const RowFilter selected(filter, names);
  std::set<std::string> rows;
  for (const std::string& name : names)
    if (selected.selects(name)) rows.insert(name);
  return rows;
}

}  // namespace ratchet
