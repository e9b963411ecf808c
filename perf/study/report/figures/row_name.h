// Which rows of a stage a table or a plot is about, by their parameters.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "perf/identity/row_id.h"

namespace ratchet::report {

/// Which rows of a stage are meant: those whose parameters, `defaults` where the name is silent,
/// are `wanted`, and that differ from the defaults in nothing else but `free` ones.
struct RowPattern {
  std::string stage;
  Settings wanted;
  Settings defaults;
  std::set<std::string> free;

  /// The settings of a row that is meant, defaults filled in; nothing for any other row.
  std::optional<Settings> match(const RowId& row) const;
};

}  // namespace ratchet::report
