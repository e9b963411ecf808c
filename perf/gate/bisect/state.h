// The state of a search, stored in a file, so that the same command resumes after an interruption.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/verdict.h"
#include "perf/support/json_file.h"

namespace ratchet::bisect {

/// The question of a search. Another question starts another search.
struct Question {
  std::string good, bad;  ///< commits
  std::string rows;       ///< the filter
  std::string options;    ///< all other options that the answers depend on
  bool operator==(const Question&) const = default;
};

struct BuildRecord {
  std::string failure;                   ///< why it does not build; empty where it does
  std::map<RowId, std::string> digests;  ///< by row, of what the row executes
  std::vector<RowId> rows;               ///< the rows of the program
  /// By row, BenchProgram::row_digests() of those that were asked for; empty: it has none.
  std::map<RowId, std::string> followed = {};
};

/// Whether a row executes the same in both; false where that is not known.
bool same_work(const BuildRecord& one, const BuildRecord& other, const RowId& row);

/// One row of two revisions, judged in pairs.
struct Judgement {
  gate::Verdict verdict = gate::Verdict::undecided;
  std::string reason;                      ///< for a row without figures
  std::optional<double> ratio, low, high;  ///< throughput of the later over the earlier
  std::size_t pairs = 0;
  double budget_s = 0;  ///< of the comparison; an undecided one is repeated with a larger budget
};

class State {
 public:
  /// Resumes from the file if it is of this question; otherwise, and where the file is damaged or
  /// of another format, starts again.
  State(std::filesystem::path file, Question question);

  bool resumed() const { return resumed_; }
  const BuildRecord* build(const std::string& commit) const;
  const std::map<std::string, BuildRecord>& builds() const { return builds_; }
  std::size_t failed_builds() const;
  const Judgement* judgement(const std::string& before, const std::string& now, const RowId& row,
                             const std::string& purpose) const;
  std::size_t judgements() const { return judgements_.size(); }
  double seconds() const { return seconds_; }

  // Each function writes the file before it returns. `seconds`: the time that the result took.
  void add(const std::string& commit, const BuildRecord& build, double seconds);
  void add(const std::string& before, const std::string& now, const std::string& purpose,
           const std::map<RowId, Judgement>& by_row, double seconds);
  /// Stores the result of the search (report.h) for readers of the file; a resumed search drops it.
  void conclude(nlohmann::json conclusion);

 private:
  using Key = std::vector<std::string>;  ///< before, now, row, purpose
  bool read();
  void write() const;

  std::filesystem::path file_;
  Question question_;
  bool resumed_ = false;
  double seconds_ = 0;  ///< of all runs so far
  std::map<std::string, BuildRecord> builds_;
  std::map<Key, Judgement> judgements_;
  nlohmann::json conclusion_;
};

/// {"verdict", "reason", "pairs", "budget_s", "ratio", "low", "high"}, the last three where known.
nlohmann::json to_json(const Judgement& judgement);

/// The judgement of such an entry. Throws `Error` naming what it lacks.
Judgement judgement_in(const Node& entry);

}  // namespace ratchet::bisect
