// The rows that a run measures.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernels/contract/row_filter.h"
#include "perf/gate/run/bench_program.h"

namespace ratchet::gate {

/// The names in `a` that are not in `b`.
std::set<std::string> minus(const std::set<std::string>& a, const std::set<std::string>& b);

struct SelectionOptions {
  std::string filter;   ///< kernels/contract/row_filter.h
  std::string backend;  ///< "cpu", "cuda", ...; empty: all but "mpi", unless the filter names that
  /// Exactly these rows, instead of filter and backend.
  std::optional<std::set<std::string>> names = std::nullopt;
};

class Selection {
 public:
  /// Selects from the listings of one or two builds. Throws `Error` when the filter matches neither
  /// a row nor an unavailable stage, or when a build lists a row twice.
  Selection(const std::vector<Listing>& listings, SelectionOptions options);

  /// Whether filter and backend select a row of this name.
  bool selects(const std::string& name) const;
  /// Selected rows that all builds list.
  const std::set<std::string>& rows() const { return rows_; }
  /// Selected rows that only this build lists.
  const std::set<std::string>& only_in(std::size_t build) const { return only_in_.at(build); }
  /// Selected stages that the last build cannot run here, with the reason.
  const std::map<std::string, std::string>& unavailable() const { return unavailable_; }

 private:
  SelectionOptions options_;
  RowFilter filter_;
  std::string name_;  ///< Listing::name
  std::set<std::string> rows_;
  std::vector<std::set<std::string>> only_in_;
  std::map<std::string, std::string> unavailable_;
};

}  // namespace ratchet::gate
