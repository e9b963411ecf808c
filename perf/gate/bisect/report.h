// A finished search in words.
#pragma once

#include <iosfwd>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

/// Rows for which no commit was searched, and why: not slower, undecided, failed, in one of the
/// builds alone.
using OtherRows = std::map<RowId, Judgement>;

/// How this search was called, for the commands that are shown.
struct Commands {
  std::string program = "ratchet";  ///< as a shell takes it
  /// " --bench build/my_bench -- --my_flag": what goes to another search of the same program.
  std::string given = {};
  /// The same for `explain`; nothing where it cannot show the program.
  std::optional<std::string> explain_given = {};
};

/// The commit, or the range that has it; the size with its interval; the reason.
void report(std::ostream& out, const RowSearch& search, const Commands& commands);

/// Shows which functions take longer since the commit before, in a build of the commit; empty where
/// no single commit was found.
std::string explain_command(const RowSearch& search, const Commands& commands);

// The words of terminal, page and bisect.json.

/// A row of both builds that executes the same, a row of one build, and what a user named and no
/// build has.
Judgement identical();
Judgement only_in_bad();
Judgement only_in_good();
Judgement in_neither();

/// What became of a row: "same (identical work)", "new (GOOD lacks it; name a later GOOD)",
/// "undecided whether it is slower, throughput -2.50 % (-7.00 to +1.00 %, 9 pairs)".
std::string judgement_text(const Judgement& judgement);

/// The size of the change of the commits found.
std::string size_text(const Finding& finding);

/// A line for each; those that were not compared share one for each reason.
std::string others_text(const OtherRows& others);

/// The answer to the question of a search. `state`: of the page's banner (output/README.md).
struct Answer {
  std::string state, sentence;
};
/// Where no row is slower: how the rows came out.
Answer answer_without_commit(const OtherRows& others, std::size_t steps, ExitCode code);
/// The commit, or the range, of a row: "Commit abc made row slower by 5.1 %: subject", by the size
/// of its own change where that is known, else by that since GOOD.
Answer answer_of(const RowSearch& search);

/// A finished search for programs: {"exit_code", "state", "sentence", "effort", "steps":
/// [{"commit", "subject", "unchanged"}], "rows": [{"row", "total", "last_good", "first_bad",
/// "alone", "skipped": [[step, why]], "reasons", "explain"}], "not_slower": {row: judgement}};
/// steps are counted from 0, GOOD. Each judgement has its "words", too.
class Conclusion {
 public:
  Conclusion(const std::vector<Step>& steps, Commands commands);
  /// Of several rows the first is the one that lost most. The answer names each commit once.
  void add(const RowSearch& search);
  void add_other(const RowId& row, const Judgement& judgement) { others_[row] = judgement; }
  const OtherRows& others() const { return others_; }
  bool has_commit() const { return found_.has_value(); }
  /// `code`: of the whole search.
  Answer answer(ExitCode code) const;
  /// Of a search that ends by an error, such as a GOOD that does not build.
  nlohmann::json failed(const std::string& why, const std::string& effort) const;
  nlohmann::json made(ExitCode code, const std::string& effort) const;

 private:
  Commands commands_;
  nlohmann::json steps_, rows_ = nlohmann::json::array();
  OtherRows others_;
  std::set<std::string> commits_;  ///< in the answer
  std::optional<Answer> found_;
};

/// "64 commits, 41 of them change files of the build; 8 built, 1 of them failed; 6 comparisons; 312
/// s".
std::string effort_text(const State& state, const std::vector<Step>& steps);

}  // namespace ratchet::bisect
