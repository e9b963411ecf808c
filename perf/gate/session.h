// One measuring session: check the stages, then launch after launch over all rows, within a budget.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "perf/gate/worker.h"

namespace ratchet::gate {

struct SessionOptions {
  std::string filter;        ///< as select_rows(); empty: all
  std::string backend;       ///< "cpu", "cuda", ...; empty: all
  std::size_t launches = 9;  ///< process launches a row before the first look
  double budget_s = 240;     ///< wall time of the whole session, checks included
};

/// Why a row has no figures.
struct Failure {
  std::string reason;
  bool unverified = false;
};

/// A folder that is removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Session {
 public:
  /// Lists the rows and selects. `progress` receives lines for people. Throws `Error` when the
  /// filter matches nothing that is known, here or as unavailable.
  Session(const Worker& worker, SessionOptions options,
          std::function<void(const std::string&)> progress);

  /// Checks every selected stage in a process of its own; rows of stages that fail are not timed.
  void check();
  /// `count` launches of the given rows, round-robin, forwards and backwards in turn, so that a
  /// drift of the machine is shared by all. Rows that fail are dropped. Stops between launches when
  /// the budget is over, but not before every row has `least` launches.
  void measure(const std::set<std::string>& rows, std::size_t count, std::size_t least = 0);

  double seconds_left() const;
  std::size_t launches() const { return options_.launches; }
  void say(const std::string& line) const { progress_(line); }
  /// Selected rows that have not failed.
  std::set<std::string> alive() const;
  /// Whether the filter and the backend select a row of this name.
  bool selected(const std::string& name) const;

  const Measurements& measured() const { return measured_; }
  const std::set<std::string>& rows() const { return rows_; }
  const std::map<std::string, Failure>& failures() const { return failures_; }
  const std::map<std::string, std::string>& unavailable() const { return unavailable_; }

 private:
  void launch(const std::string& row);
  void take_context(const nlohmann::json& context);
  void plan_budget(std::size_t rows, std::size_t launches);

  const Worker& worker_;
  SessionOptions options_;
  std::function<void(const std::string&)> progress_;
  double start_s_;
  bool filter_is_a_name_ = false;
  ScratchFolder scratch_;
  std::set<std::string> rows_;
  std::map<std::string, Failure> failures_;
  std::map<std::string, std::string> unavailable_;
  std::size_t launches_done_ = 0;
  double sample_budget_s_ = 0;
  Measurements measured_;
};

}  // namespace ratchet::gate
