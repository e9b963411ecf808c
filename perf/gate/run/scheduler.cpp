#include "perf/gate/run/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/contract/counted.h"
#include "perf/support/clock.h"

namespace ratchet::gate {

RoundsLeft rounds_left(const RoundsToCome& rounds) {
  const auto needed = static_cast<double>(rounds.needed);
  const double planned_s = rounds.fastest_s * static_cast<double>(rounds.planned);
  return {
      std::max(rounds.fastest_s * needed,
               std::max(0.0, std::min(planned_s, rounds.budget_s - rounds.slowest_s))),
      std::max(rounds.slowest_s * needed, std::max(0.0, rounds.with_aside_s) + rounds.slowest_s)};
}

Scheduler::Scheduler(std::size_t sides, const RunOptions& options, Launcher& launcher,
                     Ledger& ledger, const Budget& budget, Progress& progress)
    : sides_(sides),
      options_(options),
      launcher_(launcher),
      ledger_(ledger),
      budget_(budget),
      progress_(progress) {}

void Scheduler::plan_samples(std::size_t processes, std::size_t launches) {
  // A launch costs its start-up, a warm-up no longer than the samples, and the samples. A quarter
  // of the run is kept for rows that stay undecided.
  constexpr double start_up_s = 0.15;
  const double for_all = budget_.left() - 0.25 * budget_.seconds();
  const double each =
      for_all / static_cast<double>(std::max<std::size_t>(1, processes * launches)) - start_up_s;
  SampleSeconds samples = launcher_.samples();
  samples.alone = std::clamp(each / 2, 0.05, 1.0);
  launcher_.set_samples(samples);
}

void Scheduler::plan_pairs(const std::set<RowId>& rows, std::size_t pairs) {
  if (options_.sample_s > 0 || rows.empty()) return;
  const auto at_once = std::count_if(
      rows.begin(), rows.end(), [&](const RowId& row) { return launcher_.runs_concurrently(row); });
  const auto slots =
      std::clamp<std::ptrdiff_t>(at_once, 1, static_cast<std::ptrdiff_t>(launcher_.slots()));
  const double in_turn = static_cast<double>(std::ssize(rows) - at_once) +
                         static_cast<double>(at_once) / static_cast<double>(slots);
  // Half of it, for the rows that stay undecided; a pair starts two processes and prepares twice.
  constexpr double share = 0.5, start_up_s = 0.15;
  const double each_s =
      share * budget_.left() / (in_turn * static_cast<double>(pairs)) - start_up_s;
  SampleSeconds samples = launcher_.samples();
  samples.interleaved =
      std::clamp(each_s / 2, Launcher::least_interleaved_s, Launcher::most_interleaved_s);
  launcher_.set_samples(samples);
}

void Scheduler::measure(const std::set<RowId>& rows, std::size_t count, std::size_t least,
                        Afterwards afterwards) {
  std::vector<RowId> order(rows.begin(), rows.end());
  if (launcher_.samples().alone == 0) plan_samples(launcher_.processes(rows), count);
  const double start = seconds_now();
  FirstRound first{start, budget_.left(), least, count == 1 && afterwards == Afterwards::nothing,
                   start};
  foretold_ = false;
  launcher_.set_after_each([&](std::size_t done, std::size_t of) { foretell(first, done, of); });
  double fastest_s = std::numeric_limits<double>::infinity(), slowest_s = 0;
  std::map<RowId, std::size_t> wanted;
  for (const RowId& row : rows) wanted[row] = ledger_.clean_launches(row) + count;
  for (std::size_t i = 0; i < count && interruption() == 0; ++i) {
    // One side's rounds are long: the last one must fit, too.
    const double next_s = sides_ > 1 ? 0 : seconds_of(order);
    if ((budget_.left() <= 0 || budget_.left() < next_s) && i >= least) {
      progress_.say(fmt::format("the time budget ran out after {} of {} rounds", i, count));
      break;
    }
    const double round_start = seconds_now();
    launcher_.launch(order, rounds_);
    launcher_.set_after_each({});  // the first round tells how long the others take
    std::reverse(order.begin(), order.end());
    ++rounds_;
    if (interruption() != 0) break;
    const double a_round_s = (seconds_now() - start) / static_cast<double>(i + 1);
    if (!foretold_ && i < least && budget_.left() < 0) {
      foretold_ = true;
      const std::size_t more = least - i - 1;
      progress_.say(unheld(least) +
                    (more == 0
                         ? ""
                         : ", about " + duration(a_round_s * static_cast<double>(more)) + " more"));
    }
    const double left = a_round_s * static_cast<double>(count - i - 1);
    // Stages whose single run outlasts the budget make it come out longer than planned.
    const double spare = budget_.left() - 0.2 * budget_.seconds();
    const bool shortened = sides_ == 1 && left > spare && spare > 0;
    if (shortened) {
      SampleSeconds samples = launcher_.samples();
      samples.alone = std::max(0.02, samples.alone * std::max(0.25, spare / left));
      launcher_.set_samples(samples);
    }
    // The first launch of a program is often its slowest, and shorter samples make faster rounds.
    const double last_s = seconds_now() - round_start;
    fastest_s = shortened ? std::numeric_limits<double>::infinity() : std::min(fastest_s, last_s);
    slowest_s = std::max(i > 1 ? slowest_s : 0, last_s);
    const bool surely = i > 0 && std::isfinite(fastest_s);
    if (count > 1) {  // a round of pairs says nothing of those that may follow
      const auto [least_s, most_s] =
          rounds_left({count - i - 1, least > i + 1 ? least - i - 1 : 0, surely ? fastest_s : 0,
                       slowest_s, budget_.left(), budget_.left_of_all()});
      progress_.tell(
          fmt::format("{} of {} launches of {} done", i + 1, count, counted(rows.size(), "rows")),
          least_s, most_s);
    }
  }
  retake(wanted, count);
  ledger_.show_contended(rows);
  progress_.clear();
}

/// In the first round over the rows: what the budget cannot hold is said before it is over.
void Scheduler::foretell(FirstRound& round, std::size_t done, std::size_t of) {
  constexpr std::size_t enough = 3;
  constexpr double least_s = 0.5, surely = 1.2;
  const double now_s = seconds_now(), spent_s = now_s - round.start_s;
  round.slowest_s = std::max(round.slowest_s, now_s - std::exchange(round.last_s, now_s));
  if (done < enough || done >= of || spent_s < least_s) return;
  const double a_round_s = spent_s / static_cast<double>(done) * static_cast<double>(of);
  // Rows differ: the first ones do not say how long the others take, but that these take some time.
  progress_.tell(fmt::format("{} of {} rows launched once", done, of), 0,
                 round.only ? round.slowest_s * static_cast<double>(of - done)
                            : std::max(budget_.left_of_all(), a_round_s - spent_s));
  const double needed_s = a_round_s * static_cast<double>(round.least);
  if (foretold_ || round.least == 0 || 3 * done < of || needed_s < surely * round.left_s) return;
  foretold_ = true;
  progress_.say(
      fmt::format("{}; judging by the first {} of {} rows {}, --filter ROWS measures fewer",
                  unheld(round.least), done, of, duration(needed_s)));
}

/// That rows get more launches than the budget has time for.
std::string Scheduler::unheld(std::size_t least) const {
  return fmt::format(
      "the time budget of {} does not hold {} launch{} of each row, {} made in any case",
      duration(budget_.seconds()), least, least == 1 ? "" : "es",
      least == 1 ? "which is" : "which are");
}

/// What a round over the rows took when they were last launched.
double Scheduler::seconds_of(const std::vector<RowId>& rows) const {
  double seconds = 0;
  for (const RowId& row : rows) seconds += ledger_.failed(row) ? 0 : ledger_.launch_s(row);
  return seconds;
}

void Scheduler::measure_row(const RowId& row, std::size_t count) {
  const std::map<RowId, std::size_t> wanted = {{row, ledger_.clean_launches(row) + count}};
  for (std::size_t i = 0; i < count && budget_.left() > 0; ++i, ++rounds_)
    launcher_.launch({row}, rounds_);
  retake(wanted, count);
  ledger_.show_contended({row});
}

void Scheduler::measure_concurrently(const std::map<RowId, std::size_t>& pairs) {
  if (budget_.left() <= 0) return;
  launcher_.launch_concurrently({pairs.begin(), pairs.end()}, rounds_);
  ++rounds_;
}

/// Rounds over the rows that still lack launches of the number wanted.
void Scheduler::retake(const std::map<RowId, std::size_t>& wanted, std::size_t rounds) {
  for (std::size_t i = 0; i < rounds && budget_.left() > 0; ++i) {
    std::vector<RowId> lacking;
    for (const auto& [row, count] : wanted)
      if (ledger_.contended(row) > 0 && ledger_.clean_launches(row) < count) lacking.push_back(row);
    if (lacking.empty() || budget_.left() < seconds_of(lacking)) return;
    launcher_.launch(lacking, rounds_);
  }
}

void Scheduler::measure_short(const std::set<RowId>& rows, std::size_t count, double sample_s,
                              double share_of_budget) {
  const SampleSeconds planned = launcher_.samples();
  const double start_s = budget_.spent();
  launcher_.set_samples({sample_s, sample_s, true});
  for (std::size_t i = 0; i < count; ++i) {
    const double a_round_s = i == 0 ? 0 : (budget_.spent() - start_s) / static_cast<double>(i);
    const bool over = budget_.spent() - start_s + a_round_s > share_of_budget * budget_.seconds() ||
                      a_round_s > budget_.left();
    if (over && i > 0) break;
    launcher_.launch({rows.begin(), rows.end()}, rounds_, Launcher::Sharing::all_rows);
  }
  ledger_.show_contended(rows);
  launcher_.set_samples(planned);
}

}  // namespace ratchet::gate
