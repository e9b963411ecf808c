#include "perf/gate/run/session.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <mutex>

#include "perf/support/error.h"
#include "perf/support/clock.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

std::vector<Listing> list_all(const std::vector<Side>& sides) {
  std::vector<Listing> listings;
  for (const Side& side : sides) listings.push_back(side.program->list());
  return listings;
}

/// Samples of one launch when launches come in pairs. A GPU run repeats to 0.1 %, so ten samples
/// are plenty; on a CPU the noise lies between moments, and short pairs share theirs.
constexpr double pair_sample_s = 0.05;
/// Samples of a side in turns: beyond this length new processes tell more than longer ones.
constexpr double most_in_turns_s = 0.1;
/// Of the budget, for judging rows at their points.
constexpr double point_share = 0.2;

/// Not one a CPU where there are many: each has its own memory, and some have threads.
std::size_t at_once() { return std::min<std::size_t>(8, timing::allowed_cpus().size()); }

/// Where rows of threads run that two programs know unlike ways of. One may be older than a way.
Cpus as_both_can(Cpus a, Cpus b) {
  if (a == b) return a;
  return a == Cpus::all || b == Cpus::all ? Cpus::all : Cpus::all_between_runs;
}

}  // namespace

Session::Session(std::vector<Side> sides, SessionOptions options,
                 std::function<void(const std::string&)> progress)
    : sides_(std::move(sides)),
      options_(std::move(options)),
      progress_(std::move(progress)),
      start_s_(seconds_now()),
      told_s_(start_s_),
      selection_(list_all(sides_), options_.selection),
      generator_(options_.seed),
      quiet_cpu_(timing::allowed_cpus()),
      lanes_(options_.lanes > 0 ? options_.lanes : at_once()),
      sample_budget_s_(options_.sample_s),
      measured_(sides_.size()),
      aside_(sides_.size()) {
  if (sides_.size() > 1 && sample_budget_s_ == 0) sample_budget_s_ = pair_sample_s;
  if (sides_.size() > 1 && options_.turns) agree_on_turns();
}

/// Rows that both sides can do by turns; where one cannot though the other can, that is said.
void Session::agree_on_turns() {
  const auto before = sides_[0].program->rows_in_turns();
  const auto now = sides_[1].program->rows_in_turns();
  for (const auto& [row, cpus] : now) {
    const auto then = before.find(row);
    if (then == before.end() || !rows().count(row)) continue;
    if ((then->second == Cpus::one) != (cpus == Cpus::one)) continue;
    in_turns_[row] = as_both_can(then->second, cpus);
  }
  if (before.empty() != now.empty())
    progress_(fmt::format("the {} build takes no turns: its pairs are launched one after the other",
                          sides_[before.empty() ? 0 : 1].name));
}

double Session::seconds_spent() const { return seconds_now() - start_s_; }
double Session::seconds_left() const { return options_.budget_s - seconds_spent() - set_aside_s_; }

std::set<std::string> Session::alive() const {
  std::set<std::string> names;
  for (const std::string& name : rows()) {
    if (!failures_.count(name)) names.insert(name);
  }
  return names;
}

fs::path Session::proofs(std::size_t side) const {
  return scratch_.path() / fmt::format("verified-{}.jsonl", side);
}

void Session::fail(const std::string& row, const std::string& reason, bool unverified) {
  failures_[row] = {reason, unverified};
  for (auto* kept : {&measured_, &aside_})
    for (Measurements& side : *kept) side.rows.erase(row);
  progress_(fmt::format("{}: {}", row, reason));
}

void Session::check() {
  const double start = seconds_now();
  std::set<std::string> stages;
  for (const std::string& row : alive()) stages.insert(stage_of(row));
  for (std::size_t side = 0; side < sides_.size(); ++side) std::ofstream(proofs(side));  // empty
  const auto checks = [](const Side& side) { return side.program->can_check(); };
  if (std::none_of(sides_.begin(), sides_.end(), checks)) return;
  std::vector<std::string> next;
  for (const std::string& stage : stages) {
    next.push_back(stage);
    if (next.size() * sides_.size() < at_once()) continue;
    check_stages(next);
    next.clear();
  }
  check_stages(next);
  worker_s_ += seconds_now() - start;
  progress_(fmt::format("the stages of {} rows checked in {}, now timing", rows().size(),
                        duration(seconds_now() - start)));
}

/// By all sides and at once, for nothing is timed.
void Session::check_stages(const std::vector<std::string>& stages) {
  std::vector<std::future<CheckOutcome>> checks;
  if (!stages.empty()) show(fmt::format("checking {}", fmt::join(stages, ", ")));
  for (const std::string& stage : stages)
    for (const Side& side : sides_)
      checks.push_back(std::async(std::launch::async, [&] { return side.program->check(stage); }));
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const std::string& stage = stages[i / sides_.size()];
    const std::size_t side = i % sides_.size();
    const CheckOutcome outcome = checks[i].get();
    if (outcome.passed) std::ofstream(proofs(side), std::ios::app) << outcome.line << "\n";
    const std::string whose = sides_.size() > 1 ? sides_[side].name + " build, " : "";
    for (const std::string& row : outcome.passed ? std::set<std::string>() : alive())
      if (stage_of(row) == stage) fail(row, whose + "check: " + outcome.detail, false);
  }
}

void Session::check_points(const std::set<std::string>& rows, std::size_t side) {
  const double start = seconds_now();
  std::map<std::string, std::vector<std::string>> by_stage;
  std::size_t count = 0;
  for (const std::string& row : alive())
    if (rows.count(row)) by_stage[stage_of(row)].push_back(row), ++count;
  if (count == 0 || options_.point_s <= 0) return;
  if (!sides_[side].program->is_ours()) return;  // of others nobody knows
  std::vector<PointCheck> checks;
  for (const auto& [stage, of_stage] : by_stage) checks.push_back({side, of_stage});
  const double asked = options_.point_s * static_cast<double>(count);
  const double share = point_share * options_.budget_s;
  const std::size_t late = check_points(checks, std::min(asked, share) / static_cast<double>(count),
                                        start + std::max(asked, share));
  worker_s_ += seconds_now() - start;
  const std::string whose =
      side + 1 < sides_.size() ? " of the " + sides_[side].name + " build" : "";
  progress_(fmt::format("what {} rows{} compute where they are timed was judged in {}",
                        count - late, whose, duration(seconds_now() - start)));
  if (late > 0)
    progress_(
        fmt::format("what {} more compute there nobody judged: that time was over; "
                    "--check-point-s gives it longer",
                    late));
}

/// Many at once, for nothing is timed. What a check takes besides judging (a universe to be made,
/// say) is not known before: after `until` none is begun. Returns the rows that this left out.
std::size_t Session::check_points(const std::vector<PointCheck>& checks, double seconds,
                                  double until) {
  std::mutex mutex;
  std::size_t next = 0;
  std::set<std::string> late;
  const auto work = [&] {
    std::unique_lock lock(mutex);
    while (next < checks.size()) {
      const PointCheck& check = checks[next++];
      if (seconds_now() > until) {
        late.insert(check.rows.begin(), check.rows.end());
        continue;
      }
      show(fmt::format("judging what {} computes where it is timed", check.rows.front()));
      lock.unlock();
      const auto outcomes = sides_[check.side].program->check_points(check.rows, seconds);
      lock.lock();
      take(check, outcomes);
    }
  };
  std::vector<std::future<void>> workers;
  for (std::size_t i = 0; i < at_once(); ++i)
    workers.push_back(std::async(std::launch::async, work));
  for (auto& worker : workers) worker.get();
  return late.size();
}

void Session::take(const PointCheck& check, const std::map<std::string, CheckOutcome>& outcomes) {
  const std::string whose = sides_.size() > 1 ? sides_[check.side].name + " build, " : "";
  for (const auto& [row, outcome] : outcomes)
    if (outcome.passed)
      std::ofstream(proofs(check.side), std::ios::app) << outcome.line << "\n";
    else if (!failures_.count(row))
      fail(row, whose + "check of what is timed: " + outcome.detail, false);
}

void Session::trust(const Session& earlier) {
  for (std::size_t side = 0; side < sides_.size(); ++side)
    fs::copy_file(earlier.proofs(side), proofs(side), fs::copy_options::overwrite_existing);
  failures_ = earlier.failures_;
}

void Session::plan_budget(std::size_t rows, std::size_t launches) {
  // A launch costs its start-up, a warm-up no longer than the samples, and the samples. A quarter
  // of the session is kept for rows that stay undecided.
  constexpr double start_up_s = 0.15;
  const double for_all = seconds_left() - 0.25 * options_.budget_s;
  const double each =
      for_all / static_cast<double>(std::max<std::size_t>(1, rows * launches)) - start_up_s;
  sample_budget_s_ = std::clamp(each / 2, 0.05, 1.0);
}

void Session::plan_pairs(const std::set<std::string>& rows, std::size_t pairs) {
  if (options_.sample_s > 0 || rows.empty()) return;
  const auto at_once = std::count_if(
      rows.begin(), rows.end(), [&](const std::string& row) { return goes_beside_others(row); });
  const auto lanes = std::clamp<std::ptrdiff_t>(at_once, 1, static_cast<std::ptrdiff_t>(lanes_));
  const double in_turn = static_cast<double>(std::ssize(rows) - at_once) +
                         static_cast<double>(at_once) / static_cast<double>(lanes);
  // Half of it, for the rows that stay undecided; a pair starts two processes and prepares twice.
  constexpr double share = 0.5, start_up_s = 0.15;
  const double each_s =
      share * seconds_left() / (in_turn * static_cast<double>(pairs)) - start_up_s;
  turns_sample_s_ = std::clamp(each_s / 2, least_in_turns_s, most_in_turns_s);
}

void Session::measure(const std::set<std::string>& rows, std::size_t count, std::size_t least) {
  std::vector<std::string> order(rows.begin(), rows.end());
  if (sample_budget_s_ == 0) plan_budget(rows.size(), count);
  const double start = seconds_now();
  std::map<std::string, std::size_t> wanted;
  for (const std::string& row : rows) wanted[row] = clean_launches(row) + count;
  for (std::size_t i = 0; i < count; ++i) {
    if (seconds_left() <= 0 && i >= least) {
      progress_(fmt::format("the time budget is over after {} of {} rounds", i, count));
      break;
    }
    round(order);
    std::reverse(order.begin(), order.end());
    ++rounds_done_;
    const double left =
        (seconds_now() - start) / static_cast<double>(i + 1) * static_cast<double>(count - i - 1);
    tell(fmt::format("{} of {} launches of {} rows done, about {} left", i + 1, count, rows.size(),
                     duration(left)));
    // Stages whose single run outlasts the budget make it come out longer than planned.
    const double spare = seconds_left() - 0.2 * options_.budget_s;
    if (sides_.size() == 1 && left > spare && spare > 0)
      sample_budget_s_ = std::max(0.02, sample_budget_s_ * std::max(0.25, spare / left));
  }
  retake(wanted, count);
  show_displaced(rows);
}

void Session::measure_row(const std::string& row, std::size_t count) {
  const std::map<std::string, std::size_t> wanted = {{row, clean_launches(row) + count}};
  for (std::size_t i = 0; i < count && seconds_left() > 0; ++i, ++rounds_done_) round({row});
  retake(wanted, count);
  show_displaced({row});
}

std::size_t Session::clean_launches(const std::string& row) const {
  const auto known = measured_[0].rows.find(row);
  if (known == measured_[0].rows.end() || shown_displaced_.count(row)) return 0;
  return known->second.launches.size();
}

std::size_t Session::displaced(const std::string& row) const {
  const auto aside = aside_[0].rows.find(row);
  return aside == aside_[0].rows.end() ? 0 : aside->second.launches.size();
}

double Session::launch_s(const std::string& row) const {
  const auto known = launch_s_.find(row);
  return known == launch_s_.end() ? 0 : known->second;
}

/// Rounds over the rows that still lack launches of the number wanted.
void Session::retake(const std::map<std::string, std::size_t>& wanted, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds && seconds_left() > 0; ++i) {
    std::vector<std::string> lacking;
    for (const auto& [row, count] : wanted)
      if (displaced(row) > 0 && clean_launches(row) < count) lacking.push_back(row);
    if (lacking.empty()) return;
    round(lacking);
  }
}

/// What has no clean launch is shown by the others, until it has one.
void Session::show_displaced(const std::set<std::string>& rows) {
  for (const std::string& row : rows) {
    if (clean_launches(row) > 0 || displaced(row) == 0) continue;
    shown_displaced_.insert(row);
    for (std::size_t side = 0; side < sides_.size(); ++side)
      measured_[side].rows[row] = aside_[side].rows.at(row);
  }
}

/// What is being worked on, behind where things stand.
void Session::show(const std::string& what) const {
  if (options_.show) options_.show(fmt::format("ratchet: {}{}", standing_, what));
}

void Session::tell(const std::string& line) {
  constexpr double interval_s = 15;
  if (options_.show) standing_ = line + ": ";
  if (options_.show) return show("");
  if (seconds_now() - told_s_ < interval_s) return;
  told_s_ = seconds_now();
  progress_(line);
}

void Session::measure_short(const std::set<std::string>& rows, std::size_t count, double sample_s,
                            double share_of_budget) {
  const double planned_s = sample_budget_s_, in_turns_s = turns_sample_s_;
  const double start_s = seconds_spent();
  sample_budget_s_ = turns_sample_s_ = sample_s;
  for (std::size_t i = 0; i < count; ++i) {
    const double a_round_s = i == 0 ? 0 : (seconds_spent() - start_s) / static_cast<double>(i);
    const bool over = seconds_spent() - start_s + a_round_s > share_of_budget * options_.budget_s ||
                      a_round_s > seconds_left();
    if (over && i > 0) break;
    round({rows.begin(), rows.end()});
  }
  show_displaced(rows);
  sample_budget_s_ = planned_s;
  turns_sample_s_ = in_turns_s;
}

}  // namespace ratchet::gate
