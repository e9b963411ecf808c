// Prints how often each decision rule calls the unchanged slower, and how often it catches a 5 %
// slowdown, as Markdown: simulated launches, and recorded ones of files given.
//
//   rules_table [--runs N] [--seed S] [LAUNCHES.jsonl ...]
//   rules_table --write OUT.jsonl --blocks N [--between SHARE] [--seed S]
//
// With --write it leaves simulated launches of equally fast sides in a file of that format. Tools
// judge them with programs of their own (ci/lab/rivals.py).
//
// The format of the files: correctness/rivals/rivals_data.h. Exit codes: 0, or 2 for bad
// input.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "correctness/rivals/rivals_data.h"
#include "perf/support/error.h"

namespace {

using namespace ratchet;
using namespace ratchet::rivals;

constexpr double slowdown = 1.05;

std::string percent(double share) {
  return fmt::format("{:.{}f}", 100 * share, share < 0.1 ? 1 : 0);
}

void print_simulated(std::size_t runs, std::uint64_t seed) {
  const std::vector<double> levels = {0, 0.005, 0.01, 0.02};
  const std::vector<Rule> all = rules();
  std::vector<std::vector<Rate>> same;
  std::vector<std::vector<Rate>> slower;
  for (const double between : levels) {
    const Simulation simulation{.between = between};
    same.push_back(try_rules(all, simulation, 1, runs, seed));
    slower.push_back(try_rules(all, simulation, slowdown, runs, seed + 1));
  }
  fmt::print(
      "False alarms in % / 5 % slowdown caught in %; {} simulated comparisons each, launches\n"
      "differing by 0, 0.5, 1, 2 %, half of that variance shared with the control workload, "
      "samples\n"
      "within a launch by 0.5 %.\n\n",
      runs);
  fmt::print(
      "| rule | launches a side, at 1 % | 0 % | 0.5 % | 1 % | 2 % |\n|---|---|---|---|---|---|\n");
  for (std::size_t i = 0; i < all.size(); ++i) {
    fmt::print("| {} | {:.0f} to {:.0f} |", all[i].name,
               std::min(same[2][i].blocks, slower[2][i].blocks),
               std::max(same[2][i].blocks, slower[2][i].blocks));
    for (std::size_t level = 0; level < levels.size(); ++level)
      fmt::print(" {} / {} |", percent(same[level][i].value()), percent(slower[level][i].value()));
    fmt::print("\n");
  }
}

std::string with_interval(const Rate& rate) {
  if (rate.runs == 0) return "too few blocks";
  const RateInterval bounds = interval(rate);
  return fmt::format("{} ({} to {}) of {}", percent(rate.value()), percent(bounds.low),
                     percent(bounds.high), rate.runs);
}

void print_recorded(const std::string& path) {
  const auto launches = read_launches(path);
  std::size_t blocks = 0;
  for (const auto& [row, list] : launches) blocks += list.size();
  const std::vector<Rule> all = rules();
  const auto same = try_rules(all, launches, 1);
  const auto slower = try_rules(all, launches, slowdown);
  fmt::print(
      "\n{}: {} rows, {} recorded blocks. Called slower as recorded, and with B's times\n"
      "multiplied by 1.05; in %, with 95 % intervals.\n\n",
      path, launches.size(), blocks);
  fmt::print("| rule | as recorded | 5 % slower |\n|---|---|---|\n");
  for (std::size_t i = 0; i < all.size(); ++i)
    fmt::print("| {} | {} | {} |\n", all[i].name, with_interval(same[i]), with_interval(slower[i]));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Compares decision rules on simulated and recorded launches");
  std::size_t runs = 1000;
  std::uint64_t seed = 1;
  std::vector<std::string> files;
  std::string out;
  std::size_t blocks = 1;
  Simulation simulation;
  app.add_option("--runs", runs, "simulated comparisons per rule and machine")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", seed, "of the simulation");
  auto* write = app.add_option("--write", out, "simulated launches, JSON lines");
  app.add_option("--blocks", blocks, "of them")->needs(write)->check(CLI::Range(1, 1'000'000));
  app.add_option("--between", simulation.between, "relative deviation of launches")
      ->needs(write)
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("files", files, "recorded launches, JSON lines");
  try {
    app.parse(argc, argv);
    if (!out.empty()) {
      std::mt19937_64 generator(seed);
      write_launches(out, simulate(simulation, blocks, 1, generator));
      return 0;
    }
    print_simulated(runs, seed);
    for (const std::string& file : files) print_recorded(file);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const Error& error) {
    fmt::print(stderr, "rules_table: {}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
