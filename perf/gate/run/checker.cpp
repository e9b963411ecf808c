#include "perf/gate/run/checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <functional>
#include <future>
#include <mutex>

#include "kernels/contract/counted.h"
#include "perf/support/clock.h"

namespace ratchet::gate {
namespace {

namespace fs = std::filesystem;

/// Of the budget, for judging rows at their points.
constexpr double point_share = 0.2;

/// Calls `work` with each number below `count`, many at once, for nothing is timed: the next begins
/// when one ends.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> workers;
  for (std::size_t i = 0; i < std::min(count, most_at_once()); ++i)
    workers.push_back(std::async(std::launch::async, [&] {
      for (std::size_t item = next++; item < count; item = next++) try {
          work(item);
        } catch (...) {
          next = count;
          throw;
        }
    }));
  for (auto& worker : workers) worker.get();
}

}  // namespace

Checker::Checker(const std::vector<Side>& sides, double verify_s, Ledger& ledger, Budget& budget,
                 const Progress& progress)
    : sides_(sides), verify_s_(verify_s), ledger_(ledger), budget_(budget), progress_(progress) {}

fs::path Checker::proofs(std::size_t side) const {
  return scratch_.path() / fmt::format("verified-{}.jsonl", side);
}

void Checker::add_proof(std::size_t side, const std::string& line) const {
  std::ofstream(proofs(side), std::ios::app) << line << "\n";
}

void Checker::check(bool say) {
  const double start = seconds_now();
  const std::set<RowId> rows = ledger_.alive();
  std::set<std::string> stages;
  for (const RowId& row : rows) stages.insert(row.stage());
  for (std::size_t side = 0; side < sides_.size(); ++side) std::ofstream(proofs(side));  // empty
  const auto checks = [](const Side& side) { return side.program->abilities().checks; };
  if (std::none_of(sides_.begin(), sides_.end(), checks)) return;
  until_interruption([&] { check_stages({stages.begin(), stages.end()}); });
  if (interruption() != 0) return;
  budget_.add_measuring(seconds_now() - start);
  const std::size_t right = ledger_.alive().size();
  if (!say || right == 0) return;
  progress_.say(fmt::format("{} checked in {}; timing {} now", counted(rows.size(), "rows"),
                            duration(seconds_now() - start),
                            right < rows.size() ? fmt::format("{}", right)
                            : right == 1        ? "it"
                                                : "them"));
}

/// By all sides.
void Checker::check_stages(const std::vector<std::string>& stages) {
  std::vector<CheckOutcome> outcomes(stages.size() * sides_.size());
  std::mutex mutex;
  for_each_at_once(outcomes.size(), [&](std::size_t i) {
    const std::string& stage = stages[i / sides_.size()];
    {
      const std::lock_guard lock(mutex);
      progress_.show(fmt::format("checking {}", stage));
    }
    outcomes[i] = sides_[i % sides_.size()].program->check(stage);
  });
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const std::string& stage = stages[i / sides_.size()];
    // This build first: a row that is wrong on both sides is not the base's fault alone.
    const std::size_t side = sides_.size() - 1 - i % sides_.size();
    const CheckOutcome& outcome = outcomes[i / sides_.size() * sides_.size() + side];
    if (outcome.passed) add_proof(side, outcome.line);
    for (const RowId& row : outcome.passed ? std::set<RowId>() : ledger_.alive())
      if (row.stage() == stage) ledger_.fail(row, side, "check: " + outcome.detail);
  }
}

void Checker::verify_in_situ(const std::set<RowId>& rows, std::size_t side) {
  const double start = seconds_now();
  std::map<std::string, std::vector<RowId>> by_stage;
  std::size_t count = 0;
  for (const RowId& row : ledger_.alive()) {
    if (!rows.count(row)) continue;
    by_stage[row.stage()].push_back(row);
    ++count;
  }
  if (count == 0 || verify_s_ <= 0) return;
  if (!sides_[side].program->abilities().verifies_in_situ) return;
  std::vector<InSituCheck> checks;
  for (const auto& [stage, of_stage] : by_stage) checks.push_back({side, of_stage});
  const double asked = verify_s_ * static_cast<double>(count);
  const double share = point_share * budget_.seconds();
  std::size_t late = 0;
  until_interruption([&] {
    late = verify_in_situ(checks, std::min(asked, share) / static_cast<double>(count),
                          start + std::max(asked, share));
  });
  budget_.add_measuring(seconds_now() - start);
  if (interruption() != 0) return;
  const std::string whose =
      side + 1 < sides_.size() ? " of the " + sides_[side].name + " build" : "";
  const std::size_t checked = count - late;
  progress_.say(fmt::format("{}{} {} checked in situ in {}", counted(checked, "rows"), whose,
                            checked == 1 ? "was" : "were", duration(seconds_now() - start)));
  if (late > 0)
    progress_.say(fmt::format(
        "{} more rows were not checked in situ, for lack of time; raise --verify-limit-s", late));
}

/// What a check takes besides judging (a universe to be made, say) is not known before: after
/// `until` none is begun. Returns the number of rows that this left out.
std::size_t Checker::verify_in_situ(const std::vector<InSituCheck>& checks, double seconds,
                                    double until) {
  std::mutex mutex;
  std::set<RowId> late;
  for_each_at_once(checks.size(), [&](std::size_t i) {
    const InSituCheck& check = checks[i];
    {
      const std::lock_guard lock(mutex);
      if (seconds_now() > until) {
        late.insert(check.rows.begin(), check.rows.end());
        return;
      }
      progress_.show(fmt::format("checking {} in situ", check.rows.front()));
    }
    const auto outcomes = sides_[check.side].program->verify_in_situ(check.rows, seconds);
    const std::lock_guard lock(mutex);
    take(check, outcomes);
  });
  return late.size();
}

void Checker::take(const InSituCheck& check, const std::map<RowId, CheckOutcome>& outcomes) {
  for (const auto& [row, outcome] : outcomes)
    if (outcome.passed)
      add_proof(check.side, outcome.line);
    else if (!ledger_.failed(row))
      ledger_.fail(row, check.side, "in-situ check: " + outcome.detail);
}

void Checker::trust(const Checker& earlier) {
  for (std::size_t side = 0; side < sides_.size(); ++side)
    fs::copy_file(earlier.proofs(side), proofs(side), fs::copy_options::overwrite_existing);
  ledger_.take_failures(earlier.ledger_);
}

}  // namespace ratchet::gate
