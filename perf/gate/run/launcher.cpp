#include "perf/gate/run/launcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <mutex>

#include "kernels/contract/counted.h"
#include "kernels/contract/row_filter.h"
#include "perf/support/clock.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

/// Samples of one launch when launches come in pairs. A GPU run repeats to 0.1 %, so ten samples
/// are plenty; on a CPU the noise lies between moments, and short pairs share theirs.
constexpr double pair_sample_s = 0.05;
/// As many at least, but no longer.
constexpr double pair_samples = 8;
constexpr double most_sample_s = 1;
/// One thread is stopped and continued within microseconds; threads are dealt to CPUs anew in each
/// slice, and the first run of it lies furthest off.
constexpr double slice_s = 0.001, threads_turn_s = 0.2;
/// So many, less the first, have a shortest quarter of two (sliced_launch.cpp).
constexpr std::size_t threads_samples = 9;
/// A run that is as long as this needs no other before it.
constexpr double warms_itself_s = 0.2;

/// Where rows of threads run that two programs know unlike ways of. One may be older than a way.
Cpus as_both_can(Cpus a, Cpus b) {
  if (a == b) return a;
  return a == Cpus::all || b == Cpus::all ? Cpus::all : Cpus::all_between_runs;
}

}  // namespace

namespace {

/// Size and time of a program's file; "" of what is none.
std::string file_of(const std::filesystem::path& program) {
  std::error_code none;
  const auto bytes = std::filesystem::file_size(program, none);
  const auto time = std::filesystem::last_write_time(program, none);
  return none ? "" : fmt::format("{} {}", bytes, time.time_since_epoch().count());
}

}  // namespace

/// Launches of two programs would pass for those of one.
void Launcher::refuse_another_program(std::size_t side) const {
  const std::filesystem::path& program = sides_[side].program->path();
  if (file_of(program) != files_[side])
    throw Error(program.string() +
                " changed while it was measured, so nothing is compared; measure again, and build "
                "elsewhere or afterwards");
}

std::size_t most_at_once() { return std::min<std::size_t>(8, timing::allowed_cpus().size()); }

Launcher::Launcher(const std::vector<Side>& sides, const RunOptions& options,
                   const std::set<RowId>& rows, const Checker& checker, Ledger& ledger,
                   Budget& budget, const Progress& progress)
    : sides_(sides),
      options_(options),
      checker_(checker),
      ledger_(ledger),
      budget_(budget),
      progress_(progress),
      generator_(options.seed),
      quiet_cpu_(timing::allowed_cpus()),
      one_process_(
          std::all_of(sides.begin(), sides.end(),
                      [](const Side& side) { return side.program->abilities().one_process; })),
      slots_(options.slots > 0 ? options.slots : most_at_once()),
      samples_{options.sample_s, most_interleaved_s} {
  for (const Side& side : sides_) files_.push_back(file_of(side.program->path()));
  if (sides_.size() > 1 && samples_.alone == 0) samples_.alone = pair_sample_s;
  if (sides_.size() > 1 && options_.slices) agree_on_interleaving(rows);
}

void Launcher::agree_on_interleaving(const std::set<RowId>& rows) {
  const auto before = sides_[0].program->interleaved_rows();
  const auto now = sides_[1].program->interleaved_rows();
  for (const auto& [row, cpus] : now) {
    const auto then = before.find(row);
    if (then == before.end() || !rows.count(row)) continue;
    if ((then->second == Cpus::one) != (cpus == Cpus::one)) continue;
    interleaved_[row] = as_both_can(then->second, cpus);
  }
  if (before.empty() != now.empty())
    progress_.say(fmt::format(
        "the {} build cannot be interleaved; its pairs are launched one after the other",
        sides_[before.empty() ? 0 : 1].name));
}

void Launcher::launch(const std::vector<RowId>& rows, std::size_t round, Sharing sharing) {
  until_interruption([&] { launch_rows(rows, round, sharing); });
}

void Launcher::launch_concurrently(const std::vector<RowPairs>& rows, std::size_t round) {
  until_interruption([&] { launch_in_slots(rows, round); });
}

/// What fails in a process that rows share is then launched alone, so that a crash costs only its
/// own row.
void Launcher::launch_rows(const std::vector<RowId>& rows, std::size_t round, Sharing sharing) {
  const bool spread = options_.gpus.size() > 1 && !one_process_;
  const bool all = sharing == Sharing::all_rows && !spread;
  std::vector<RowId> together;
  for (const RowId& row : rows) {
    if (!ledger_.failed(row) && (all || shares_process(row))) together.push_back(row);
  }
  if (spread) {
    if (!launch_on_gpus(together, round)) launch_on_gpus(together, round);
  } else {
    if (!batches_ || together.size() < 2) together.clear();
    if (!together.empty()) {
      progress_.show(
          sharing == Sharing::all_rows && !one_process_
              ? fmt::format("launching {} briefly", counted(together.size(), "rows"))
              : fmt::format("launching {}, all in one process", counted(together.size(), "rows")));
      launch_together(together, round);
    }
    if (!batches_) together.clear();
  }
  std::vector<RowPairs> concurrent;
  std::vector<RowId> alone;
  std::map<RowId, std::vector<RowId>> of_process;  // in which a row's metrics come with it
  for (const RowId& row : rows) {
    if (std::find(together.begin(), together.end(), row) != together.end()) continue;
    if (ledger_.failed(row)) continue;
    if (runs_concurrently(row)) {
      concurrent.emplace_back(row, 1);
      continue;
    }
    const RowId process = sides_.back().program->process_of(row);
    if (of_process[process].empty()) alone.push_back(process);
    of_process[process].push_back(row);
  }
  std::size_t done = 0;
  for (const RowId& process : alone) {
    const std::vector<RowId>& those = of_process.at(process);
    progress_.show("launching " + process.text());
    if (interleaved_.count(those.front())) {
      launch_interleaved(those.front(), round);
    } else {
      launch_together(those, round);
    }
    if (after_each_) after_each_(++done, alone.size());
  }
  launch_in_slots(concurrent, round);
}

bool Launcher::share_process(const RowId& a, const RowId& b) const {
  const BenchProgram& program = *sides_.back().program;
  return (shares_process(a) && shares_process(b)) || program.process_of(a) == program.process_of(b);
}

std::size_t Launcher::processes(const std::set<RowId>& rows) const {
  std::set<RowId> processes;
  for (const RowId& row : rows) processes.insert(sides_.back().program->process_of(row));
  return processes.size();
}

/// Then a row that fails in it would fail alone, too.
bool Launcher::are_of_one_process(const std::vector<RowId>& rows) const {
  const BenchProgram& program = *sides_.back().program;
  return one_process_ || std::all_of(rows.begin(), rows.end(), [&](const RowId& row) {
           return program.process_of(row) == program.process_of(rows.front());
         });
}

std::vector<std::size_t> Launcher::draw_order() {
  if (sides_.size() == 1) return {0};
  return generator_() % 2 == 0 ? std::vector<std::size_t>{0, 1} : std::vector<std::size_t>{1, 0};
}

double Launcher::sample_s(const std::vector<RowId>& rows) const {
  double seconds = samples_.alone;
  if (sides_.size() < 2 || options_.sample_s > 0 || samples_.as_planned) return seconds;
  for (const RowId& row : rows) {
    seconds = std::max(seconds, std::min(pair_samples * ledger_.call_s(row), most_sample_s));
  }
  return seconds;
}

Launcher::Batch Launcher::batch_of(const std::vector<RowId>& rows) {
  Batch batch{rows, draw_order(), {}};
  batch.request.budget_s = sample_s(rows);
  batch.request.scratch = scratch_.path() / "launch.json";
  return batch;
}

namespace {

/// By row, the launch of median time; one that failed, where there is one.
std::map<RowId, LaunchOutcome> medians(
    const std::vector<std::map<RowId, LaunchOutcome>>& launches) {
  if (launches.size() == 1) return launches.front();
  std::map<RowId, std::vector<LaunchOutcome>> by_row;
  for (const auto& launch : launches)
    for (const auto& [row, outcome] : launch) by_row[row].push_back(outcome);
  std::map<RowId, LaunchOutcome> medians;
  for (auto& [row, outcomes] : by_row) {
    const auto units_per_second = [](const LaunchOutcome& outcome) {
      return outcome.launch ? outcome.launch->counter("units_per_second").value_or(0) : 0;
    };
    std::sort(outcomes.begin(), outcomes.end(),
              [&](const LaunchOutcome& a, const LaunchOutcome& b) {
                return units_per_second(a) < units_per_second(b);
              });
    medians[row] = outcomes[outcomes.front().launch ? outcomes.size() / 2 : 0];
  }
  return medians;
}

}  // namespace

/// Touches nothing but the files that the request names.
void Launcher::run(Batch& batch) const {
  const double start = seconds_now();
  std::vector<std::vector<std::map<RowId, LaunchOutcome>>> launches(sides_.size());
  const auto failed = [](const auto& entry) { return !entry.second.launch; };
  bool fell_apart = false;
  const std::size_t turns =
      options_.launches_a_pair > 0 ? options_.launches_a_pair : launches_a_pair_;
  for (std::size_t turn = 0; turn < turns && !fell_apart; ++turn)
    for (const std::size_t side : batch.order) {
      refuse_another_program(side);
      LaunchRequest request = batch.request;
      request.verified_file = checker_.proofs(side);
      launches[side].push_back(sides_[side].program->measure_together(batch.rows, request));
      fell_apart = !are_of_one_process(batch.rows) &&
                   std::any_of(launches[side].back().begin(), launches[side].back().end(), failed);
      if (fell_apart) break;
    }
  batch.outcomes.clear();
  for (const auto& side : launches) batch.outcomes.push_back(medians(side));
  batch.seconds = seconds_now() - start;
}

/// Whether a row failed in a process of several rows. Then nothing of the process is kept, and each
/// row is launched alone.
bool Launcher::fell_apart(const Batch& batch) {
  if (are_of_one_process(batch.rows)) return false;
  const auto failed = [](const auto& entry) { return !entry.second.launch; };
  for (const auto& side : batch.outcomes) {
    if (std::none_of(side.begin(), side.end(), failed)) continue;
    progress_.say("a row failed in a process of several rows; every row gets its own process now");
    batches_ = false;
    return true;
  }
  return false;
}

void Launcher::keep(const Batch& batch, std::size_t round) {
  for (const RowId& row : batch.rows) {
    std::vector<LaunchOutcome> by_side;
    for (const auto& side : batch.outcomes) by_side.push_back(side.at(row));
    ledger_.keep(row, by_side, batch.seconds / static_cast<double>(batch.rows.size()), round + 1);
  }
}

void Launcher::launch_together(const std::vector<RowId>& rows, std::size_t round) {
  Batch batch = batch_of(rows);
  batch.request.cpu = quiet_cpu_.pick();  // the same CPU for both sides
  run(batch);
  budget_.add_measuring(batch.seconds);
  if (!fell_apart(batch)) keep(batch, round);
}

/// Spreads the rows over the devices. A device runs one process at a time, and both sides of a
/// pair. In the next round each row moves to the next device. False if a row failed in a process of
/// several rows; then nothing was kept.
bool Launcher::launch_on_gpus(std::vector<RowId> rows, std::size_t round) {
  const std::size_t devices = options_.gpus.size();
  const double start = seconds_now();
  std::sort(rows.begin(), rows.end());  // every other round comes backwards
  std::vector<std::vector<RowId>> shares(devices);
  for (std::size_t i = 0; i < rows.size(); ++i) shares[(i + round) % devices].push_back(rows[i]);
  std::vector<std::vector<Batch>> batches(devices);
  std::vector<std::future<void>> running;
  for (std::size_t device = 0; device < devices; ++device) {
    std::vector<Batch>& own = batches[device];
    if (batches_ && !shares[device].empty()) own.push_back(batch_of(shares[device]));
    for (const RowId& row : shares[device])
      if (!batches_) own.push_back(batch_of({row}));
    for (Batch& batch : own) {
      batch.request.gpu = options_.gpus[device];
      batch.request.scratch = scratch_.path() / fmt::format("launch-gpu-{}.json", device);
    }
  }
  progress_.show(fmt::format("{} on {} GPUs", counted(rows.size(), "rows"), devices));
  for (std::vector<Batch>& own : batches)
    running.push_back(std::async(std::launch::async, [this, &own] {
      for (Batch& batch : own) run(batch);
    }));
  for (auto& each : running) each.get();
  budget_.add_measuring(seconds_now() - start);
  for (const std::vector<Batch>& own : batches)
    for (const Batch& batch : own)
      if (fell_apart(batch)) return false;
  for (const std::vector<Batch>& own : batches)
    for (const Batch& batch : own) keep(batch, round);
  return true;
}

Launcher::InterleavedPair Launcher::interleaved_pair(const RowId& row, int cpu, std::size_t slot) {
  InterleavedPair pair{row, {}, {}, draw_order(), std::mt19937_64(generator_()), slot, 0, {}};
  pair.request.cpus = interleaved_.at(row);
  pair.request.cpu = cpu;
  SlicePlan& plan = pair.plan;
  plan.slice.on_cpu = on_one_cpu(pair.request.cpus);
  plan.slice.seconds = options_.slice_s.value_or(plan.slice.on_cpu ? slice_s : threads_turn_s);
  plan.call_s = ledger_.call_s(row);
  plan.seconds = options_.sample_s > 0 ? options_.sample_s : samples_.interleaved;
  // Where the budget is too short for all rows, those of one thread are settled sooner by it.
  if (plan.seconds > least_interleaved_s && !plan.slice.on_cpu) plan.samples = threads_samples;
  pair.request.warm_up = plan.call_s < warms_itself_s;
  return pair;
}

/// Touches nothing but the files of its slot.
void Launcher::run(InterleavedPair& pair) const {
  const double start = seconds_now();
  std::vector<std::unique_ptr<SlicedLaunch>> launches(sides_.size());
  for (const std::size_t side : pair.order) {
    refuse_another_program(side);
    LaunchRequest request = pair.request;
    request.verified_file = checker_.proofs(side);
    request.scratch = scratch_.path() / fmt::format("launch-{}-{}.json", pair.slot, side);
    launches[side] = sides_[side].program->launch_interleaved(pair.row, request);
  }
  pair.outcome = run_interleaved(*launches[0], *launches[1], pair.plan, pair.generator);
  pair.seconds = seconds_now() - start;
}

void Launcher::keep(const InterleavedPair& pair, std::size_t round) {
  ledger_.keep(pair.row, {pair.outcome.before, pair.outcome.now}, pair.seconds, round + 1);
}

void Launcher::launch_interleaved(const RowId& row, std::size_t round) {
  InterleavedPair pair = interleaved_pair(row, quiet_cpu_.pick(), 0);
  run(pair);
  budget_.add_measuring(pair.seconds);
  keep(pair, round);
}

bool Launcher::runs_concurrently(const RowId& row) const {
  const auto slices = interleaved_.find(row);
  return slots_ > 1 && slices != interleaved_.end() && slices->second == Cpus::one;
}

bool Launcher::threads(const RowId& row) const {
  const auto slices = interleaved_.find(row);
  return slices != interleaved_.end() && slices->second != Cpus::one;
}

/// A slot that is free takes the next row. What slots share is touched by one at a time, between
/// pairs.
void Launcher::launch_in_slots(const std::vector<RowPairs>& rows, std::size_t round) {
  const double start = seconds_now();
  const std::size_t slots = std::min(slots_, rows.size());
  const std::vector<int> cpus = timing::allowed_cpus();
  std::mutex mutex;
  std::size_t next = 0;
  const auto run_slot = [&](std::size_t slot) {
    std::unique_lock lock(mutex);
    while (next < rows.size()) {
      const auto& [row, pairs] = rows[next++];
      progress_.show("launching " + row.text());
      for (std::size_t made = 0; made < pairs && !ledger_.failed(row); ++made) {
        if (made > 0 && budget_.left() <= 0) break;
        const int cpu = slots == 1 ? quiet_cpu_.pick() : cpus[slot % cpus.size()];
        InterleavedPair pair = interleaved_pair(row, cpu, slot);
        lock.unlock();
        run(pair);
        lock.lock();
        keep(pair, round);
      }
    }
  };
  std::vector<std::future<void>> running;
  for (std::size_t slot = 0; slot < slots; ++slot)
    running.push_back(std::async(std::launch::async, run_slot, slot));
  for (auto& each : running) each.get();
  budget_.add_measuring(seconds_now() - start);
}

}  // namespace ratchet::gate
