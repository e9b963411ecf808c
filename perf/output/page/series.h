// Series of figures in the page's data model: of the history's runs, and of a row's launches.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/gate/baseline/measurements.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/output/history/series.h"

namespace ratchet::report {

/// A site's page of the history may have more points, and take longer, than the report that a gate
/// writes while somebody waits for it.
struct SeriesLimits {
  std::size_t points = 30000;
  std::chrono::seconds time{4};
};
inline constexpr SeriesLimits limits_of_a_site = {100000, std::chrono::seconds(60)};

/// Reads series until a limit is reached. All series share one list of runs.
class SeriesReader {
 public:
  explicit SeriesReader(history::HistoryStore& store, SeriesLimits limits = {});
  /// The last runs of a row, a series for each clock of its figures; with `clock`, of that clock
  /// alone. Empty if it has no figures or was left out. "clock", "clock_text"; "verdict", the last;
  /// "points": [[index of the run, units per second, verdict unless "same", ratio to its base where
  /// a gate called it slower or faster], ...]; "changes", the change points, as `ratchet history`
  /// prints them: [[index of the point, median before, median after, "machine" unless of the code],
  /// ...]; "lost": true if the last of these is a loss that no later run took back; "slower": index
  /// of the last point that a gate called slower, unless a later run took it back.
  std::vector<nlohmann::json> series(const std::string& row, const std::string& fingerprint_hash,
                                     const std::string& clock = "");
  /// [[time, revision, mode, commit], ...], the revision empty where it is not known; commit: as
  /// RunRecord::commit.
  const nlohmann::json& runs() const { return runs_; }
  std::size_t left_out() const { return left_out_; }

 private:
  nlohmann::json model_of(history::Series series);
  std::size_t index_of(const history::Point& point);

  history::HistoryStore& store_;
  SeriesLimits limits_;
  std::map<std::string, std::map<std::string, std::string>> commits_;
  std::chrono::steady_clock::time_point begin_;
  std::size_t points_ = 0, left_out_ = 0;
  std::map<std::string, std::size_t> indices_;
  nlohmann::json runs_ = nlohmann::json::array();
};

/// {"place", "runs", "rows": {name: series}, "left_out": rows} for the measured rows of the model,
/// worst first, under this fingerprint. {"missing": why} if the history cannot be read.
nlohmann::json history_of_rows(const std::string& location, const Fingerprint& machine,
                               const nlohmann::json& rows);

/// {"median": units per second, "ppm": [...]} in launch order; a launch's throughput is
/// median * (1 + ppm / 1e6). If recorded: "mhz": [...], the clock of the CPU or of the GPU's SMs;
/// "away": [...], the percentage of the time in which others used its CPU or GPU, or "quiet": true
/// if that is 0 for all; "contended": indices of launches that the rules ignore as contended.
nlohmann::json launch_series(const Row& row);

}  // namespace ratchet::report
