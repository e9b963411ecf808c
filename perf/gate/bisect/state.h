// What a search has found out so far, kept in a file, so that the same command goes on where it was
// stopped, by whatever means.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "perf/gate/baseline/verdict.h"

namespace ratchet::bisect {

/// What a search is about. Another question begins another search.
struct Question {
  std::string good, bad;  ///< commits
  std::string rows;       ///< the filter
  std::string options;    ///< everything else that the answers depend on
  bool operator==(const Question&) const = default;
};

struct BuildRecord {
  std::string failure;                         ///< why it does not build; empty where it does
  std::map<std::string, std::string> digests;  ///< of what its rows execute, by row
  std::vector<std::string> rows;               ///< that it has
};

/// One row of two revisions, judged in pairs.
struct Judgement {
  gate::Verdict verdict = gate::Verdict::undecided;
  std::string reason;                      ///< of a row without figures
  std::optional<double> ratio, low, high;  ///< throughput of the later over the earlier
  std::size_t pairs = 0;
  double budget_s = 0;  ///< that it had: with more, what is undecided may be asked again
};

class State {
 public:
  /// Takes up the file if it is of this question; else begins anew, and so does a file that is
  /// damaged or of another format. Throws `Error` where it cannot be read.
  State(std::filesystem::path file, Question question);

  bool resumed() const { return resumed_; }
  const BuildRecord* build(const std::string& commit) const;
  const std::map<std::string, BuildRecord>& builds() const { return builds_; }
  const Judgement* judgement(const std::string& before, const std::string& now,
                             const std::string& row, const std::string& purpose) const;
  std::size_t judgements() const { return judgements_.size(); }
  double seconds() const { return seconds_; }

  // Each is on the disk when it returns, with the seconds that it took.
  void add(const std::string& commit, const BuildRecord& build, double seconds);
  void add(const std::string& before, const std::string& now, const std::string& purpose,
           const std::map<std::string, Judgement>& by_row, double seconds);
  /// What the search came to (report.h), for who reads the file; a search that goes on forgets it.
  void conclude(nlohmann::json conclusion);

 private:
  using Key = std::vector<std::string>;  ///< before, now, row, purpose
  bool read();
  void write() const;

  std::filesystem::path file_;
  Question question_;
  bool resumed_ = false;
  double seconds_ = 0;  ///< spent by all runs so far
  std::map<std::string, BuildRecord> builds_;
  std::map<Key, Judgement> judgements_;
  nlohmann::json conclusion_;
};

/// {"verdict", "reason", "pairs", "budget_s", "ratio", "low", "high"}, the last three where known.
nlohmann::json to_json(const Judgement& judgement);

}  // namespace ratchet::bisect
