#include "perf/gate/selftest/selftest.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ostream>
#include <random>

#include "kernels/contract/counted.h"
#include "perf/gate/programs/third_party_program.h"
#include "perf/support/clock.h"
#include "perf/support/machine/cpu_affinity.h"

namespace ratchet::gate {
namespace {

/// A process that keeps one CPU busy, drawn anew each time, for as long as this object lives.
class BusyNeighbour {
 public:
  explicit BusyNeighbour(std::mt19937_64& generator) {
    const std::vector<int> cpus = timing::allowed_cpus();
    const int cpu = cpus[generator() % cpus.size()];
    child_ = fork();
    if (child_ < 0) throw Error("the process that keeps a CPU busy cannot be started");
    if (child_ == 0) {
      for (const int number : {SIGINT, SIGTERM}) signal(number, SIG_DFL);
      spin(cpu);
    }
  }
  BusyNeighbour(const BusyNeighbour&) = delete;
  BusyNeighbour& operator=(const BusyNeighbour&) = delete;
  ~BusyNeighbour() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  [[noreturn]] static void spin(int cpu) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    volatile std::uint64_t x = 1;
    for (;;) x = x * 6364136223846793005u + 1;
  }
  pid_t child_;
};

struct Planned {
  double slowdown = 0;
  bool neighbour = false;
};

std::vector<Planned> plan(const SelftestOptions& options, std::mt19937_64& generator) {
  std::vector<Planned> runs;
  const auto add = [&](double slowdown, std::size_t count) {
    const auto with_neighbour =
        static_cast<std::size_t>(std::lround(options.neighbour * static_cast<double>(count)));
    for (std::size_t i = 0; i < count; ++i) runs.push_back({slowdown, i < with_neighbour});
  };
  add(0, options.runs);
  for (const double slowdown : options.slowdowns) add(slowdown, options.slowed_runs);
  std::shuffle(runs.begin(), runs.end(), generator);
  return runs;
}

SelftestRun result_of(const Planned& planned, const Run& run,
                      const std::vector<RowReport>& reports) {
  SelftestRun result{
      planned.slowdown, planned.neighbour, run.budget().spent(), run.budget().measuring(), {}};
  for (const RowReport& report : reports) {
    if (report.verdict == Verdict::unavailable) continue;
    if (!report.decision)
      throw Error(fmt::format("{} is {} in a selftest: {}", report.name, to_string(report.verdict),
                              to_string(report.reason)));
    SelftestRow& row = result.rows[report.name];
    row.verdict = report.verdict;
    row.ratio = report.decision->ratio;
    row.detectable = std::isfinite(report.decision->detectable) ? report.decision->detectable : 0;
    row.pairs = pairs_of(run.ledger().measured(0).rows.at(report.name),
                         run.ledger().measured(1).rows.at(report.name));
  }
  return result;
}

/// A program without a flag that injects a slowdown: the times of its launches are multiplied. The
/// noise that a machine adds to a longer run is missing.
class SlowerAsTold final : public BenchProgram {
 public:
  SlowerAsTold(std::unique_ptr<BenchProgram> program, double slowdown)
      : program_(std::move(program)), slowdown_(slowdown) {}

  const std::filesystem::path& path() const override { return program_->path(); }
  Listing list() const override { return program_->list(); }
  Abilities abilities() const override { return {.checks = program_->abilities().checks}; }
  CheckOutcome check(const std::string& stage) const override { return program_->check(stage); }
  LaunchOutcome measure(const RowId& row, const LaunchRequest& request) const override {
    LaunchOutcome outcome = program_->measure(row, request);
    if (!outcome.launch) return outcome;
    outcome.launch->real_ms *= 1 + slowdown_;
    outcome.launch->cpu_ms *= 1 + slowdown_;
    auto& counters = outcome.launch->counters;
    if (const auto rate = counters.find(counter::units_per_second); rate != counters.end())
      rate->second /= 1 + slowdown_;
    return outcome;
  }

 private:
  std::unique_ptr<BenchProgram> program_;
  double slowdown_;
};

/// The two sides, and a run that has checked them once for all runs.
class Sides {
 public:
  Sides(const SelftestOptions& options, double slowdown)
      : before_(open_program(options.bench)), now_(slowed(options, slowdown)) {}
  std::vector<Side> both() const { return {{"base", before_.get()}, {"new", now_.get()}}; }

 private:
  std::unique_ptr<BenchProgram> slowed(const SelftestOptions& options, double slowdown) const {
    if (slowdown <= 0 || !before_->abilities().slows_down) {
      auto program = open_program(options.bench);
      if (slowdown <= 0) return program;
      return std::make_unique<SlowerAsTold>(std::move(program), slowdown);
    }
    ProgramOptions bench = options.bench;
    bench.flags.push_back(fmt::format("--ratchet_slowdown={}", slowdown));
    return std::make_unique<RatchetProgram>(bench);
  }
  std::unique_ptr<BenchProgram> before_;
  std::unique_ptr<BenchProgram> now_;
};

RunOptions run_options(const SelftestOptions& options, std::uint64_t seed) {
  RunOptions of_run;
  of_run.selection = options.selection;
  of_run.budget_s = options.run_budget_s;
  of_run.seed = seed;
  return of_run;
}

}  // namespace

std::size_t run_selftest(const SelftestOptions& options, std::ostream& progress) {
  std::mt19937_64 generator(options.seed);
  const auto quiet = [](const std::string&) {};
  const std::vector<Planned> runs = plan(options, generator);
  const Sides unchanged(options, 0);
  Run first(unchanged.both(), run_options(options, 0), quiet);
  if (first.rows().empty())
    throw Error("no selected row can run here; name others with --filter", ExitCode::nothing_ran);
  const std::size_t slowed = runs.size() - options.runs;
  const std::string parts =
      slowed == 0 ? ""
                  : fmt::format(
                        ": {} of the program against itself (--runs), {} with one side slowed on "
                        "purpose (--slowed-runs {} for each of --slowdowns)",
                        options.runs, slowed, options.slowed_runs);
  progress << fmt::format("ratchet: {} of up to {:.3g} s each, {} in all at most{}",
                          counted(runs.size(), "runs"), options.run_budget_s,
                          duration(static_cast<double>(runs.size()) * options.run_budget_s), parts)
           << std::endl;
  first.checker().check();
  if (!first.ledger().failures().empty())
    throw Error(fmt::format("{}: {}", first.ledger().failures().begin()->first,
                            first.ledger().failures().begin()->second.reason));
  if (interruption() != 0) throw Interrupted();
  SelftestWriter writer(options, first.rows());
  if (!writer.set_aside().empty())
    progress << fmt::format("ratchet: {} is a selftest of other rows or options; it is kept as {}",
                            options.record.string(), writer.set_aside().string())
             << std::endl;
  std::size_t made = 0;
  const auto make_run = [&] {
    const Planned& planned = runs[made];
    const Sides sides(options, planned.slowdown);
    std::optional<BusyNeighbour> neighbour;
    if (planned.neighbour) neighbour.emplace(generator);
    Run run(sides.both(), run_options(options, generator()), quiet);
    run.checker().trust(first.checker());
    const std::vector<Facts> found = measure_pairs(run, {});
    if (interruption() != 0) throw Interrupted();  // half of a run would bias the rates
    const SelftestRun result = result_of(planned, run, judged(found));
    writer.add(result);
    const std::string line = fmt::format("ratchet: run {}/{}: slowdown {:.1f} %{}: {}", ++made,
                                         runs.size(), 100 * result.slowdown,
                                         result.neighbour ? ", busy neighbour" : "", words(result));
    progress << line << std::endl;
  };
  while (made < runs.size() && interruption() == 0) until_interruption(make_run);
  return made;
}

}  // namespace ratchet::gate
