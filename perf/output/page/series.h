// Series of figures in the page's data model: of the history's runs, and of a row's launches.
#pragma once

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "perf/gate/baseline/measurements.h"
#include "perf/identity/machine/fingerprint.h"
#include "perf/output/history/store.h"

namespace ratchet::report {

/// Reads series until the page's limit of points or of reading time is reached. All series share
/// one list of runs.
class SeriesReader {
 public:
  explicit SeriesReader(history::HistoryStore& store);
  /// The last runs of a row: {"points": [[index of the run, units per second], ...], "changes":
  /// [[index of the point, level before, level after], ...]}; null if the row has no figures or was
  /// left out.
  nlohmann::json series(const std::string& row, const std::string& fingerprint_hash);
  /// [[time, revision, mode], ...]
  const nlohmann::json& runs() const { return runs_; }
  std::size_t left_out() const { return left_out_; }

 private:
  std::size_t index_of(const history::Point& point);

  history::HistoryStore& store_;
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
