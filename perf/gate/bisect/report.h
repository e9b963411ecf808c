// A finished search in words.
#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/bisect/search.h"
#include "perf/gate/bisect/state.h"
#include "perf/support/error.h"

namespace ratchet::bisect {

/// A revision that changes files of the build, and the commits after it that do not.
struct Step {
  Revision revision;
  std::vector<std::string> unchanged;
};

/// Between which steps a row became slower.
struct Finding {
  std::size_t last_good = 0, first_bad = 0;
  std::map<std::size_t, std::string> skipped;  ///< steps that could not be judged, and why
  Judgement size;                              ///< of the two held against each other
  std::vector<std::string> reasons;            ///< what differs in what they execute
};

struct RowSearch {
  const RowId& row;
  const Judgement& total;  ///< BAD against GOOD
  const Finding& finding;
  const std::vector<Step>& steps;
};

/// The commit, or the range that has it; the size with its interval; the reason.
void report(std::ostream& out, const RowSearch& search);

/// A finished search for programs: {"exit_code", "effort", "steps": [{"commit", "subject",
/// "unchanged"}], "rows": [{"row", "total", "last_good", "first_bad", "alone", "skipped": [[step,
/// why]], "reasons"}], "not_slower": {row: judgement}}; steps are counted from 0, GOOD.
class Conclusion {
 public:
  explicit Conclusion(const std::vector<Step>& steps);
  void add(const RowSearch& search);
  void add_not_slower(const RowId& row, const Judgement& judgement);
  nlohmann::json made(ExitCode code, const std::string& effort) const;

 private:
  nlohmann::json steps_, rows_ = nlohmann::json::array(), not_slower_ = nlohmann::json::object();
};

/// "64 commits, 41 of them change files of the build; 8 built, 1 of them failed; 6 comparisons; 312
/// s".
std::string effort_text(const State& state, const std::vector<Step>& steps);

/// Where no row is slower: how each came out.
std::string not_slower_text(const std::map<RowId, Judgement>& judged);

/// Rows that execute the same in GOOD and BAD, in one line; empty for none.
std::string identical_text(const std::set<RowId>& rows);

/// Named rows that GOOD does not have, likewise.
std::string absent_text(const std::set<RowId>& rows);
/// Rows that BAD does not have, likewise.
std::string gone_text(const std::set<RowId>& rows);

/// Where others are slower: the rows of which that is not known, and why; a line each.
std::string unknown_text(const std::map<RowId, Judgement>& judged);

}  // namespace ratchet::bisect
