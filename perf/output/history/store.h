// The history of gate runs: every run appends to it, `ratchet history` reads it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perf/output/history/database.h"
#include "perf/output/history/record.h"

namespace ratchet::history {

/// The result of one run for one row.
struct Point {
  std::string run_id;
  std::string time;  ///< UTC (time.h)
  double place = 0;  ///< of its run in the order of adding; 0: an older ratchet added it
  std::string revision;
  std::string commit, against;  ///< RunRecord::commit; empty where unknown
  std::string mode;
  std::string machine;
  std::string fingerprint_hash;
  KeptVerdict verdict;
  std::string reason;
  std::string accepted;              ///< RowRecord
  std::string work;                  ///< RowRecord
  std::string unit = "units";        ///< of the throughput
  std::string clock;                 ///< of the throughput; empty without figures, or where unknown
  std::optional<double> ratio;       ///< to the baseline of that day
  std::optional<double> throughput;  ///< median over launches, units per second
  std::optional<double> units;       ///< work of one call
  std::vector<double> launches;      ///< units per second, this build's side
};

/// One series: the runs of one row under one fingerprint.
struct SeriesSummary {
  std::string name;
  std::string machine;
  std::string fingerprint_hash;
  std::size_t runs = 0;
  std::string last_time;
  KeptVerdict last_verdict;
  std::optional<double> last_throughput;
  std::string unit = "units";  ///< of the last throughput
  std::string clock = "";      ///< the same
  std::string accepted = "";   ///< of the last run: RowRecord
  bool clocks_differ = false;  ///< of its runs: by_clock() makes several series of them
};

class HistoryStore {
 public:
  /// Access::write creates or migrates the tables; Access::read reads older ones, too. Throws
  /// `Error` if they are of a newer ratchet, and under Access::read if they are missing.
  HistoryStore(std::unique_ptr<Database> database, Access access);

  /// Records the whole run or, on `Error`, nothing of it. A run with a recorded id changes nothing.
  /// Safe for concurrent processes and lost connections.
  void append(const RunRecord& run);

  /// Appends the rows of `run` whose figures are not recorded yet, and none of a gate run that is
  /// recorded, so that importing twice changes nothing. Returns their number.
  std::size_t import(RunRecord run);

  /// Copies every run of another history whose id this one lacks. Returns their number. Throws
  /// `Error`; the runs copied before it stay.
  std::size_t merge(HistoryStore& other);

  /// The ids of all runs, in the order of adding.
  std::vector<std::string> ids();
  /// A run with its rows and launches.
  void remove(const std::string& id);

  /// The points of a row by the date of their commit, which is that of the run where it is unknown,
  /// then by time, then in the order of adding; of all fingerprints if `fingerprint_hash` is empty.
  /// Without `launches`, those of the points stay empty, which is much faster.
  std::vector<Point> series(const std::string& row, const std::string& fingerprint_hash = "",
                            bool launches = true);

  /// RunRecord::commit of every run that has one, by the run's id.
  std::map<std::string, std::map<std::string, std::string>> commits();

  /// Every series, by name, then by machine and fingerprint.
  std::vector<SeriesSummary> rows();

  std::string name() const { return database_->name(); }

 private:
  bool has_run(const std::string& id);
  void insert(const RunRecord& run);
  void add_launches(std::vector<Point>& points, const std::string& row,
                    const std::string& fingerprint_hash);

  const std::map<std::string, std::map<std::string, std::string>>& known_commits();
  /// Expressions of SQL for the later columns of a row `r` in a history of this version.
  std::string later_columns() const {
    return std::string(version_ < 3 ? "'' AS unit" : "r.unit") +
           (version_ < 4 ? ", '' AS clock" : ", r.clock") +
           (version_ < 5 ? ", '' AS accepted" : ", r.accepted") +
           (version_ < 6 ? ", '' AS work" : ", r.work");
  }

  std::string clocks_differ() const {
    if (version_ < 4) return "0 AS clocks_differ";
    const std::string all = "NULLIF(r.clock, '')) OVER (PARTITION BY r.name, r.fingerprint_hash)";
    return "CASE WHEN min(" + all + " <> max(" + all + " THEN 1 ELSE 0 END AS clocks_differ";
  }

  /// The columns of a table in a history of this version.
  std::vector<std::string> columns_of(const Table& table) const;

  std::unique_ptr<Database> database_;
  /// commits() since the last change
  std::optional<std::map<std::string, std::map<std::string, std::string>>> commits_;
  std::size_t version_ = migrations().size();
};

/// open_database, then HistoryStore.
HistoryStore open_store(const std::string& location, Access access);

}  // namespace ratchet::history
