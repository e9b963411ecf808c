#include "perf/output/history/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "perf/output/history/database.h"
#include "perf/support/error.h"
#include "perf/support/printable.h"

namespace ratchet::history {
namespace {

Value optional(const std::optional<double>& value) { return value ? Value(*value) : Value(); }
Value optional(const std::optional<int>& value) {
  return value ? Value(static_cast<std::int64_t>(*value)) : Value();
}

std::string text(const Value& value) {
  const auto* found = std::get_if<std::string>(&value);
  return found ? *found : "";
}

std::optional<double> number(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::nullopt;
}

void insert_row(Database& database, const RunRecord& run, const RowRecord& row) {
  const auto now = std::count_if(row.launches.begin(), row.launches.end(),
                                 [](const LaunchRecord& launch) { return launch.side == "now"; });
  database.query(insert_into(tables()[1]), {run.id,
                                            row.name,
                                            row.machine,
                                            row.fingerprint_hash,
                                            verdict_text(row.verdict),
                                            optional(row.ratio),
                                            optional(row.low),
                                            optional(row.high),
                                            optional(row.detectable),
                                            static_cast<std::int64_t>(now),
                                            optional(row.throughput),
                                            optional(row.units),
                                            optional(row.tolerance),
                                            row.reason,
                                            row.code_hash,
                                            row.measurement,
                                            row.unit,
                                            row.clock,
                                            row.accepted,
                                            row.work});
  for (const LaunchRecord& launch : row.launches)
    database.query(insert_into(tables()[2]),
                   {run.id, row.name, launch.side, launch.position, launch.units_per_second,
                    launch.real_ms, optional(launch.control_per_second)});
}

/// Throws `Error` for an unknown word, which a newer ratchet wrote.
KeptVerdict verdict_of(const Value& value, const std::string& row, const std::string& history) {
  const std::string word = text(value);
  if (word == verdict_text({})) return {};
  if (const auto verdict = gate::parse_verdict(word)) return verdict;
  throw Error(
      fmt::format("the history {} holds a verdict of {} that this version of ratchet does not know "
                  "(\"{}\"); read it with the version that wrote it",
                  history, printable(row), printable(word, 40)));
}

std::string unit(const Value& value) {
  const std::string known = text(value);
  return known.empty() ? "units" : known;
}

Point point_of(const Values& row, const std::string& name, const std::string& history) {
  Point point;
  point.run_id = text(row.at(0));
  point.time = text(row.at(1));
  point.revision = text(row.at(2));
  point.mode = text(row.at(3));
  point.machine = text(row.at(4));
  point.fingerprint_hash = text(row.at(5));
  point.verdict = verdict_of(row.at(6), name, history);
  point.reason = text(row.at(7));
  point.ratio = number(row.at(8));
  point.throughput = number(row.at(9));
  point.units = number(row.at(10));
  point.unit = unit(row.at(11));
  point.clock = text(row.at(12));
  point.accepted = text(row.at(13));
  point.work = text(row.at(14));
  point.place = number(row.at(15)).value_or(0);
  return point;
}

// Both parameters stand in the order of their first use, $1 the row and $2 the fingerprint.
constexpr const char* of_series =
    "FROM ratchet_rows r JOIN ratchet_runs u ON u.id = r.run_id "
    "WHERE r.name = $1 AND (CAST($2 AS TEXT) = '' OR r.fingerprint_hash = $2) ";

}  // namespace

HistoryStore::HistoryStore(std::unique_ptr<Database> database, Access access)
    : database_(std::move(database)) {
  if (access == Access::write) {
    despite_lost_connections(*database_, [this] { migrate(*database_); });
    return;
  }
  version_ = schema_version(*database_);
  if (version_ == 0)
    throw Error(database_->name() +
                " is not a history: it has no tables of ratchet; name another (--history)");
  refuse_newer(*database_);
}

std::vector<std::string> HistoryStore::columns_of(const Table& table) const {
  std::vector<std::string> columns = table.columns;
  if (version_ < 2) std::erase(columns, "commit_facts");
  if (version_ < 3) std::erase(columns, "unit");
  if (version_ < 4) std::erase(columns, "clock");
  if (version_ < 5) std::erase(columns, "accepted");
  if (version_ < 6) std::erase(columns, "work");
  return columns;
}

void HistoryStore::append(const RunRecord& run) {
  despite_lost_connections(*database_, [&] {
    Transaction transaction(*database_);
    refuse_newer(*database_);  // holds until the commit, since migrations are exclusive
    if (has_run(run.id)) return;
    insert(run);
    transaction.commit();
  });
}

std::size_t HistoryStore::import(RunRecord run) {
  const auto is_held = [&](const RowRecord& row, const char* by) {
    const std::string sql =
        "SELECT 1 FROM ratchet_rows r JOIN ratchet_runs u ON u.id = r.run_id "
        "WHERE r.measurement = $1 ";
    return !database_->query(sql + by + " LIMIT 1", {row.measurement}).empty();
  };
  const auto known = [&](const RowRecord& row) {
    return row.measurement.empty() || is_held(row, "");
  };
  // Of rows that were measured in pairs, too, the results of the run hold other launches.
  const auto of_known_run = [&](const RowRecord& row) {
    return !row.measurement.empty() && is_held(row, "AND u.mode <> 'accepted'");
  };
  bool committing = false;  // and the answer may be lost
  despite_lost_connections(*database_, [&] {
    Transaction transaction(*database_, true);
    refuse_newer(*database_);
    if (has_run(run.id)) {
      if (!committing) run.rows.clear();
      return;
    }
    if (run.mode != "accepted" && std::any_of(run.rows.begin(), run.rows.end(), of_known_run))
      run.rows.clear();
    std::erase_if(run.rows, known);
    if (run.rows.empty()) return;
    insert(run);
    committing = true;
    transaction.commit();
  });
  return run.rows.size();
}

std::size_t HistoryStore::merge(HistoryStore& other) {
  commits_.reset();
  std::size_t added = 0;
  for (const std::string& id : other.ids()) {
    std::vector<std::vector<Values>> found;
    for (const Table& table : tables()) {
      const std::vector<std::string> columns = other.columns_of(table);
      found.push_back(
          other.database_->query(fmt::format("SELECT {} FROM {} WHERE {} = $1",
                                             fmt::join(columns, ", "), table.name, columns.front()),
                                 {id}));
      for (Values& row : found.back()) row.resize(table.columns.size(), Value(""));
    }
    bool lacked = false;
    despite_lost_connections(*database_, [&] {
      Transaction transaction(*database_);
      refuse_newer(*database_);
      if (has_run(id)) return;
      lacked = true;
      for (std::size_t i = 0; i < found.size(); ++i)
        for (const Values& row : found[i]) database_->query(insert_into(tables()[i]), row);
      transaction.commit();
    });
    added += lacked;
  }
  return added;
}

bool HistoryStore::has_run(const std::string& id) {
  return !database_->query("SELECT 1 FROM ratchet_runs WHERE id = $1", {id}).empty();
}

std::vector<std::string> HistoryStore::ids() {
  std::vector<std::string> all;
  for (const Values& row :
       database_->query(version_ < 6 ? "SELECT id FROM ratchet_runs ORDER BY id"
                                     : "SELECT id FROM ratchet_runs ORDER BY place, id"))
    all.push_back(text(row.at(0)));
  return all;
}

void HistoryStore::remove(const std::string& id) {
  Transaction transaction(*database_);
  database_->query("DELETE FROM ratchet_runs WHERE id = $1", {id});  // the rest by cascade
  transaction.commit();
}

void HistoryStore::insert(const RunRecord& run) {
  commits_.reset();
  database_->query(
      insert_into(tables()[0]),
      {run.id, run.time, run.revision, run.machine, nlohmann::json(run.fingerprint.fields).dump(),
       fingerprint_hash(run.fingerprint, Device::both), run.mode, optional(run.exit_code),
       static_cast<std::int64_t>(run.rule_version),
       run.commit.empty() ? "" : nlohmann::json(run.commit).dump()});
  for (const RowRecord& row : run.rows) insert_row(*database_, run, row);
}

std::vector<Point> HistoryStore::series(const std::string& row, const std::string& fingerprint_hash,
                                        bool launches) {
  std::vector<Point> points;
  const std::string sql =
      std::string(
          "SELECT u.id, u.time, u.revision, u.mode, r.machine, r.fingerprint_hash, "
          "r.verdict, r.reason, r.ratio, r.throughput, r.units, ") +
      later_columns() + (version_ < 6 ? ", 0 AS place " : ", u.place ") + of_series;
  for (const Values& found : database_->query(sql, {row, fingerprint_hash}))
    points.push_back(point_of(found, row, name()));
  std::map<std::string, std::string> dates;
  for (Point& point : points) {
    const auto commit = known_commits().find(point.run_id);
    if (commit == known_commits().end()) continue;
    const auto fact = [&](const char* key) {
      const auto found = commit->second.find(key);
      return found == commit->second.end() ? "" : found->second;
    };
    point.commit = fact("commit");
    point.against = fact("against");
    dates[point.run_id] = fact("date");
  }
  // Sorted here: in SQL the order of texts depends on the server's locale.
  const auto place = [&](const Point& point) {
    const auto date = dates.find(point.run_id);
    const bool known = date != dates.end() && !date->second.empty();
    return std::tie(known ? date->second : point.time, point.time, point.place, point.run_id);
  };
  std::sort(points.begin(), points.end(),
            [&](const Point& a, const Point& b) { return place(a) < place(b); });
  if (launches) add_launches(points, row, fingerprint_hash);
  return points;
}

std::map<std::string, std::map<std::string, std::string>> HistoryStore::commits() {
  std::map<std::string, std::map<std::string, std::string>> commits;
  if (version_ < 2) return commits;
  for (const Values& run :
       database_->query("SELECT id, commit_facts FROM ratchet_runs WHERE commit_facts <> ''")) {
    const auto facts = nlohmann::json::parse(text(run.at(1)), nullptr, false);
    if (!facts.is_object()) continue;  // the run's figures are as good without
    auto& commit = commits[text(run.at(0))];
    for (const auto& [key, value] : facts.items())
      if (value.is_string()) commit[key] = value.get<std::string>();
  }
  return commits;
}

const std::map<std::string, std::map<std::string, std::string>>& HistoryStore::known_commits() {
  if (!commits_) commits_ = commits();
  return *commits_;
}

void HistoryStore::add_launches(std::vector<Point>& points, const std::string& row,
                                const std::string& fingerprint_hash) {
  std::map<std::string, Point*> by_run;
  for (Point& point : points) by_run[point.run_id] = &point;
  const std::string sql =
      "SELECT run_id, units_per_second FROM ratchet_launches WHERE side = 'now' AND row_name = $1 "
      "AND run_id IN (SELECT r.run_id FROM ratchet_rows r WHERE r.name = $1 "
      "AND (CAST($2 AS TEXT) = '' OR r.fingerprint_hash = $2)) ORDER BY position";
  for (const Values& found : database_->query(sql, {row, fingerprint_hash})) {
    const auto point = by_run.find(text(found.at(0)));
    if (point != by_run.end())  // a run appended between the two queries is not in it
      point->second->launches.push_back(number(found.at(1)).value_or(0));
  }
}

std::vector<SeriesSummary> HistoryStore::rows() {
  const auto found = database_->query(
      "SELECT name, machine, fingerprint_hash, runs, time, verdict, throughput, unit, clock, "
      "accepted, clocks_differ FROM ("
      "SELECT r.name, r.machine, r.fingerprint_hash, u.time, r.verdict, r.throughput, " +
      later_columns() + ", count(*) OVER (PARTITION BY r.name, r.fingerprint_hash) AS runs, " +
      clocks_differ() +
      ", "
      "row_number() OVER (PARTITION BY r.name, r.fingerprint_hash ORDER BY u.time DESC, u.id DESC) "
      "AS place FROM ratchet_rows r JOIN ratchet_runs u ON u.id = r.run_id) AS numbered "
      "WHERE place = 1");
  std::vector<SeriesSummary> summaries;
  for (const Values& row : found) {
    SeriesSummary& summary = summaries.emplace_back();
    summary.name = text(row.at(0));
    summary.machine = text(row.at(1));
    summary.fingerprint_hash = text(row.at(2));
    summary.runs = static_cast<std::size_t>(number(row.at(3)).value_or(0));
    summary.last_time = text(row.at(4));
    summary.last_verdict = verdict_of(row.at(5), summary.name, name());
    summary.last_throughput = number(row.at(6));
    summary.unit = unit(row.at(7));
    summary.clock = text(row.at(8));
    summary.accepted = text(row.at(9));
    summary.clocks_differ = number(row.at(10)).value_or(0) != 0;
  }
  // A run in which the row is missing or failed knows neither its unit nor its clock.
  std::map<std::pair<std::string, std::string>, std::pair<std::string, std::string>> known;
  for (const Values& row : database_->query(
           "SELECT name, fingerprint_hash, unit, clock FROM (SELECT r.name, r.fingerprint_hash, " +
           later_columns() +
           ", row_number() OVER (PARTITION BY r.name, r.fingerprint_hash ORDER BY u.time DESC, "
           "u.id "
           "DESC) AS place FROM ratchet_rows r JOIN ratchet_runs u ON u.id = r.run_id "
           "WHERE r.throughput IS NOT NULL) AS numbered WHERE place = 1"))
    known[{text(row.at(0)), text(row.at(1))}] = {unit(row.at(2)), text(row.at(3))};
  for (SeriesSummary& summary : summaries)
    if (const auto found = known.find({summary.name, summary.fingerprint_hash});
        !summary.last_throughput && found != known.end())
      std::tie(summary.unit, summary.clock) = found->second;
  std::sort(summaries.begin(), summaries.end(), [](const auto& a, const auto& b) {
    return std::tie(a.name, a.machine, a.fingerprint_hash) <
           std::tie(b.name, b.machine, b.fingerprint_hash);
  });
  return summaries;
}

HistoryStore open_store(const std::string& location, Access access) {
  return HistoryStore(open_database(location, access), access);
}

}  // namespace ratchet::history
