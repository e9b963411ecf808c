// Absolute limits of figures, as a command line or a baseline states them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/baseline/store.h"

namespace ratchet::gate {

struct StatedLimit {
  std::string rows;        ///< a filter (kernels/contract/row_filter.h); of a stored one its row
  bool below = true;       ///< the figure has to lie below the value; else above
  double value = 0;        ///< positive
  std::string unit;        ///< may be empty
  bool stored = false;     ///< in a baseline
  std::string typed = {};  ///< as it was read: "Parse/time<5ms"
  /// Rows with a unit of their own, metrics among them (checked_limits()).
  std::set<RowId> figures = {};

  std::string text() const;    ///< "< 5 ms"
  std::string quoted() const;  ///< "'Parse/time<5ms'", as it was typed if it was
  /// Those of `all` that it is of. A name, or a part of one, means the row and not its metrics.
  /// "ROW/time" is the time of a call where no row has this name.
  std::set<RowId> of(const std::set<RowId>& all) const;
};

/// Parses "Parse/time<5ms" or "score>90 points"; ROWS may contain both marks. Throws `Error`
/// quoting the text for anything else.
StatedLimit read_limit(const std::string& text);

/// The factor from a unit to the limit's; nothing where they do not count the same.
std::optional<double> in_unit_of(const std::string& limit, const std::string& unit);

/// The limits with StatedLimit::figures, before anything is measured or stored. Throws `Error` for
/// a limit that selects none of the rows, or whose unit does not fit one of them, and for two that
/// no value of a row keeps. `units`: CodeIdentity::units.
std::vector<StatedLimit> checked_limits(std::vector<StatedLimit> limits,
                                        const std::set<RowId>& rows,
                                        const std::map<RowId, std::string>& units);

/// Those of the run's rows; `say` gets a line for each that is of other `listed` rows alone, which
/// the run leaves out. One of no row at all stays, for checked_limits().
std::vector<StatedLimit> of_this_run(std::vector<StatedLimit> limits, const std::set<RowId>& rows,
                                     const std::set<RowId>& listed,
                                     const std::function<void(const std::string&)>& say);

/// The rows whose unit is that of a figure.
std::set<RowId> rows_of_figures(const std::map<RowId, std::string>& units);

/// Row::limits of the baselines under this fingerprint. Throws `Error` naming file and row for a
/// text that is not a limit.
std::vector<StatedLimit> stored_limits(const BaselineStore& store, const Fingerprint& here);

/// Row::limits with a further one, which replaces that of its direction.
std::vector<std::string> with_limit(std::vector<std::string> limits, const StatedLimit& added);

}  // namespace ratchet::gate
